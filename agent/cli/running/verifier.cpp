#include "agent/cli/running/verifier.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

namespace parityd::agent {
namespace {

using executor::Clock;
using oracle::VerdictKind;

constexpr executor::GroupIndex kWith = 0;  // groups of the engine
constexpr executor::GroupIndex kWithout = 1;

/// The sides run at once: a round's files lie where its subject says.
Subject on_side(Subject subject, executor::GroupIndex group) {
  subject.group = group;
  subject.program = group == kWith ? subject.program : -subject.program;
  return subject;
}

Subject subject_of(const store::ProgramRow& program, executor::GroupIndex group) {
  return on_side({.program = program.id, .text = program.text, .options_json = program.options_json}, group);
}

}  // namespace

bool Tried::broken() const {
  return with && without && with->verdict != VerdictKind::consistent && without->verdict == VerdictKind::consistent;
}

Verifier::Verifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress)
    : engine_(engine),
      session_(engine, config.seed, config.excuses_off),
      rounds_(config.gate_rounds),
      progress_(std::move(progress)) {}

tl::expected<Verifier::Judged, std::string> Verifier::finding(const RecheckCase& found) {
  std::vector<executor::GroupIndex> sides{kWithout, kWith};
  const auto next = [&]() -> std::optional<RecheckCase> {
    if (sides.empty()) return std::nullopt;
    RecheckCase side = found;
    side.subject = on_side(std::move(side.subject), sides.back());
    sides.pop_back();
    return side;
  };
  Judged judged;
  const auto ran = session_.recheck(next, rounds_, sides.size(), [&](const Subject& subject, const Recheck& recheck) {
    (subject.group == kWith ? judged.with : judged.without) = recheck.result();
  });
  return ran.map([&] { return judged; });
}

tl::expected<std::vector<Tried>, std::string> Verifier::programs(std::vector<store::ProgramRow> rows) {
  waiting_.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  begin_some();
  const auto ran = session_.run([this] { return running_.empty(); },
                                [this](const Examined& examined) {
                                  take(examined);
                                  begin_some();
                                });
  return ran.map([this] { return std::move(done_); });
}

void Verifier::begin_some() {
  const auto most = std::size_t{2} * static_cast<std::size_t>(engine_.pool->config(kWith).warm_workers);
  while (running_.size() < most && !waiting_.empty()) {
    Tried tried{.program = std::move(waiting_.front())};
    waiting_.pop_front();
    session_.examiner().screen(subject_of(tried.program, kWith), Clock::now());
    running_.emplace(tried.program.id, std::move(tried));
  }
}

void Verifier::take(const Examined& examined) {
  const auto found = running_.find(std::abs(examined.program));
  if (found == running_.end()) return;
  Tried& tried = found->second;
  if (!examined.harness_failure.empty()) {
    tried.harness_failure = examined.harness_failure;
    return finish(found);
  }
  if (examined.what == Examination::screen) {
    tried.screened = examined.verdict;
    if (examined.trusted && examined.verdict.verdict == VerdictKind::consistent) return finish(found);
    for (const auto group : {kWith, kWithout}) {
      session_.examiner().gate(subject_of(tried.program, group), Examination::recheck, 1, Clock::now());
    }
    return;
  }
  (examined.group == kWith ? tried.with : tried.without) = examined.verdict;
  if (tried.with && tried.without) finish(found);
}

void Verifier::finish(std::map<store::Id, Tried>::iterator found) {
  done_.push_back(std::move(found->second));
  running_.erase(found);
  constexpr std::size_t kTellEvery = 50;
  if (done_.size() % kTellEvery == 0) {
    progress_(fmt::format("{} programs, {} to go", done_.size(), waiting_.size() + running_.size()));
  }
}

}  // namespace parityd::agent
