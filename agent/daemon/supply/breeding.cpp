#include "agent/daemon/supply/breeding.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>

#include "agent/daemon/program/draw_seed.h"

namespace parityd::agent {
namespace {

using executor::Mutant;
using executor::SyntaxError;

constexpr std::size_t kLow = 32;        // stock below which another batch starts: a few seconds' work for many workers
constexpr std::size_t kParents = 4;     // per batch; each may be spliced with the others
constexpr int kMutants = 8;             // requested per parent
constexpr int kComposed = 12;           // per batch: a third of its surviving programs
constexpr std::uint64_t kRecent = 512;  // programs that may become parents
constexpr double kSomethingNew = 0.75;  // share of parents that made the compiler do something new
constexpr std::chrono::seconds kAfterFailure{5};
constexpr std::chrono::seconds kWithoutParents{1};

}  // namespace

Breeding::Breeding(store::Store& store, Examiner& examiner, executor::Syntax& syntax, ChooseParent choose_parent,
                   std::uint64_t seed, double share)
    : store_(store),
      examiner_(examiner),
      syntax_(syntax),
      choose_parent_(std::move(choose_parent)),
      seed_(seed),
      share_(share) {}

void Breeding::refill(executor::TimePoint now) {
  if (share_ > 0 && !batch_ && stock_.size() < kLow && now >= not_before_) begin(now);
  if (!batch_ || batch_->parents_left > 0 || sifting_) return;
  executor::Screening screening{.programs = {},
                                .compose = kComposed,
                                .composing = static_cast<std::uint64_t>(batch_->number) * kComposed + seed_};
  for (const Arrival& mutant : batch_->mutants) screening.programs.push_back(mutant.text);
  sifting_ = true;
  not_before_ = now + kAfterFailure;
  examiner_.sift(batch_->number, std::move(screening), now);
}

void Breeding::begin(executor::TimePoint now) {
  const std::string key = "next_batch";
  const std::int64_t number = std::stoll(store_.values.find(key).value_or("0"));
  std::mt19937_64 random(draw_seed(seed_, static_cast<std::uint64_t>(number)));
  std::vector<store::ProgramRow> parents;
  std::string along;
  if (auto shown = store_.programs.shown(static_cast<std::int64_t>(random() >> 1U))) {
    along = store_.hypotheses.of_program(shown->id)->text;
    parents.push_back(std::move(*shown));
  }
  while (parents.size() < kParents) {
    auto parent = choose_parent_(random());
    if (!parent) break;
    parents.push_back(std::move(*parent));
  }
  if (parents.empty() && !stock_.empty()) {
    not_before_ = now + kWithoutParents;  // otherwise composed programs would fill the stock before there is a mutant
    return;
  }
  store_.values.set(key, std::to_string(number + 1));
  batch_ = Batch{.number = number, .mutants = {}, .parents_left = static_cast<int>(parents.size())};
  for (const auto& parent : parents) {
    std::vector<std::string> others;
    for (const auto& other : parents) {
      if (other.id != parent.id) others.push_back(other.text);
    }
    breed(parent, others, std::exchange(along, {}), random() >> 1U);
  }
}

void Breeding::breed(const store::ProgramRow& parent, const std::vector<std::string>& others, const std::string& along,
                     std::uint64_t seed) {
  syntax_.mutants({.program = parent.text, .others = others, .seed = seed, .count = kMutants, .along = along},
                  [this, alive = std::weak_ptr(alive_), id = parent.id, strategy = parent.strategy,
                   seed](tl::expected<std::vector<Mutant>, SyntaxError> mutants) {
                    if (alive.expired()) return;
                    Batch& batch = *batch_;
                    --batch.parents_left;
                    for (Mutant& mutant : mutants ? *mutants : std::vector<Mutant>{}) {
                      batch.mutants.push_back({.text = std::move(mutant.program),
                                               .origin = store::Origin::mutant,
                                               .source = mutant.kind + ": " + mutant.description,
                                               .strategy = strategy,
                                               .parent = id,
                                               .seed = seed + batch.mutants.size()});
                    }
                  });
}

void Breeding::take_sifted() {
  for (auto& sifted : examiner_.take_sifted()) {
    if (!batch_ || sifted.number != batch_->number) continue;
    problem_ = sifted.failure;
    std::vector<Arrival> passed;
    for (std::size_t at = 0; at < std::min(sifted.told.verdicts.size(), batch_->mutants.size()); ++at) {
      if (sifted.told.verdicts[at].valid) passed.push_back(std::move(batch_->mutants[at]));
    }
    const auto seed = static_cast<std::uint64_t>(batch_->number) * kComposed;
    for (auto& text : sifted.told.composed) {
      passed.push_back({.text = std::move(text), .origin = store::Origin::composed, .seed = seed + passed.size()});
    }
    std::shuffle(passed.begin(), passed.end(), std::mt19937_64(seed_ + seed));
    std::move(passed.begin(), passed.end(), std::back_inserter(stock_));
    if (sifted.failure.empty()) not_before_ = {};
    batch_.reset();
    sifting_ = false;
  }
}

bool Breeding::its_turn() {
  turn_ += share_;
  if (turn_ < 1) return false;
  turn_ -= 1;
  return true;
}

std::optional<Arrival> Breeding::pop() {
  if (stock_.empty()) return std::nullopt;
  Arrival first = std::move(stock_.front());
  stock_.pop_front();
  return first;
}

Breeding::ChooseParent recent_parents(const store::Store& store) {
  return [&store](std::uint64_t draw) -> std::optional<store::ProgramRow> {
    using enum store::Origin;
    std::mt19937_64 random(draw);
    const bool something_new = std::bernoulli_distribution(kSomethingNew)(random);
    std::array origins{reply, repair, corpus, mutant, composed, import};
    std::ranges::shuffle(origins, random);
    for (const bool reached_new : {something_new, !something_new}) {
      for (const store::Origin origin : origins) {
        // If there are not that many yet, half as many are considered.
        for (std::uint64_t among = kRecent; among > 0; among /= 2) {
          auto found = store.programs.recent_parent(origin, reached_new, static_cast<int>(draw % among));
          if (found) return found;
        }
      }
    }
    return std::nullopt;
  };
}

}  // namespace parityd::agent
