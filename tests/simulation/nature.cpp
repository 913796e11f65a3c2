#include "tests/simulation/nature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "executor/artefact.h"
#include "oracle/finding/json.h"

namespace parityd::simulation {
namespace {

using oracle::Mode;

constexpr int kCauses = 24;
constexpr std::array<std::string_view, 8> kNames{"consistent", "invalid", "numerical", "behaviour",
                                                 "crash",      "hang",    "flaky",     "unstable"};
constexpr std::string_view kMark = "nature = \"";

constexpr std::array<float, 6> kSingles{1, 2, 3, 4, 5, 6};
constexpr std::array<double, 6> kDoubles{1, 2, 3, 4, 5, 6};

bool is_double(Mode mode) { return oracle::row(mode).in_double; }
bool is_normal(Mode mode) { return oracle::row(mode).normal; }
bool is_inductor(Mode mode) { return oracle::row(mode).backend == "inductor"; }

std::string operator_of(const Nature& nature) { return fmt::format("aten.op{}.default", nature.cause); }

/// Every third cause has a neutraliser.
bool is_cured(const Nature& nature, const executor::Job& job) {
  return nature.cause % 3 == 0 && std::ranges::any_of(job.neutralisers, [&](const auto& neutraliser) {
           return neutraliser.name == operator_of(nature);
         });
}

oracle::Outcome raised(Mode mode, const std::string& error_class, const std::string& message) {
  oracle::Outcome outcome{.kind = oracle::OutcomeKind::raised};
  outcome.step = is_inductor(mode) ? oracle::Step::compile : oracle::Step::forward;
  outcome.error = oracle::ErrorReport{.outer_class = error_class,
                                      .inner_class = error_class,
                                      .message = message,
                                      .compiler_frame = is_inductor(mode) ? "graph.py:call_function" : "",
                                      .user_line = 1};
  return outcome;
}

oracle::Outcome outcome_of(const Nature& nature, Mode mode, bool cured) {
  if (is_normal(mode)) {
    return raised(mode, "NothingSubnormal", "");
  }
  if (nature.kind == Kind::invalid) {
    return raised(mode, "ValueError", fmt::format("shapes {} do not fit", nature.cause));
  }
  if (nature.kind == Kind::behaviour && is_inductor(mode) && !cured) {
    return raised(mode, "InductorError",
                  fmt::format("no kernel {}", std::string(1, static_cast<char>('a' + nature.cause))));
  }
  oracle::Outcome outcome{.kind = oracle::OutcomeKind::ran, .step = oracle::Step::measure, .seconds = 0.001};
  if (!oracle::is_eager(mode)) {
    outcome.graphs = 1;
    outcome.operators = outcome.lowered = {operator_of(nature)};
  }
  return outcome;
}

/// Which of the canned values the one output element has.
std::size_t value_of(const Nature& nature, Mode mode, bool wrong, std::mt19937_64& chance) {
  if (nature.kind == Kind::unstable) {
    return chance() % kSingles.size();
  }
  return wrong && is_inductor(mode) ? 1 : 0;
}

oracle::Leaf leaf_of(const char* path, oracle::LeafGroup group, Mode mode, int storage) {
  oracle::Leaf leaf{.path = path, .group = group, .is_tensor = true, .type = "Tensor"};
  leaf.dtype = is_double(mode) ? oracle::Dtype::float64 : oracle::Dtype::float32;
  leaf.shape = leaf.stride = {1};
  leaf.storage = storage;
  return leaf;
}

oracle::StorageView storage_of(Mode mode, std::size_t value) {
  return is_double(mode) ? oracle::StorageView{reinterpret_cast<const std::byte*>(&kDoubles.at(value)), sizeof(double)}
                         : oracle::StorageView{reinterpret_cast<const std::byte*>(&kSingles.at(value)), sizeof(float)};
}

oracle::RunRecord record_of(const Nature& nature, Mode mode, bool cured, bool wrong, std::mt19937_64& chance) {
  oracle::RunRecord record{.mode = mode, .outcome = outcome_of(nature, mode, cured)};
  if (record.outcome.kind == oracle::OutcomeKind::ran) {
    record.leaves = {leaf_of("input[0]", oracle::LeafGroup::input, mode, 0),
                     leaf_of("output", oracle::LeafGroup::output, mode, 1)};
    record.storages = {storage_of(mode, 0), storage_of(mode, value_of(nature, mode, wrong, chance))};
  }
  return record;
}

bool takes_process_with_it(const Nature& nature, Mode mode, bool cured) {
  return (nature.kind == Kind::crash || nature.kind == Kind::hang) && is_inductor(mode) && !cured;
}

}  // namespace

std::string program_of(const Nature& nature) {
  return fmt::format(R"(import torch


class Model(torch.nn.Module):
    nature = "{} {} {}"

    def forward(self, x):
        filler = 0
        return x + 1


def get_inputs():
    return [torch.ones(1)]
)",
                     kNames.at(static_cast<std::size_t>(nature.kind)), nature.cause, nature.number);
}

Nature nature_of(std::string_view text) {
  const auto at = text.rfind(kMark);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view words = text.substr(at + kMark.size(), text.find('"', at + kMark.size()) - at - kMark.size());
  const auto first = words.find(' '), second = words.rfind(' ');
  Nature nature;
  const auto* const name = std::ranges::find(kNames, words.substr(0, first));
  nature.kind = name == kNames.end() ? Kind::consistent : static_cast<Kind>(name - kNames.begin());
  std::from_chars(words.data() + first + 1, words.data() + second, nature.cause);
  std::from_chars(words.data() + second + 1, words.data() + words.size(), nature.number);
  return nature;
}

Nature drawn_nature(std::mt19937_64& random, std::int64_t number) {
  constexpr std::array<double, 8> kShares{0.74, 0.12, 0.05, 0.03, 0.01, 0.01, 0.02, 0.02};
  const auto kind = std::discrete_distribution<int>(kShares.begin(), kShares.end())(random);
  return {.kind = static_cast<Kind>(kind), .cause = static_cast<int>(random() % kCauses), .number = number};
}

Ran run(const Nature& nature, const executor::Job& job, std::mt19937_64& chance) {
  const bool cured = is_cured(nature, job);
  const bool wrong = !cured && (nature.kind == Kind::numerical || (nature.kind == Kind::flaky && chance() % 2 == 0));
  Ran ran;
  for (const Mode mode : job.modes) {
    if (takes_process_with_it(nature, mode, cured)) {
      const bool hangs = nature.kind == Kind::hang;
      ran.death = executor::Death{
          .mode = mode, .step = oracle::Step::compile, .hung = hangs, .signal = hangs ? SIGKILL : SIGSEGV};
      return ran;
    }
    ran.records.push_back(record_of(nature, mode, cured, wrong, chance));
  }
  return ran;
}

void write_artefact(const std::filesystem::path& folder, const oracle::RunRecord& record) {
  constexpr std::size_t kStart = 4096, kApart = 64;
  nlohmann::json storages = nlohmann::json::array();
  for (std::size_t number = 0; number < record.storages.size(); ++number) {
    storages.push_back({{"at", kStart + number * kApart}, {"size", record.storages[number].size}});
  }
  const nlohmann::json header{{"mode", name(record.mode)},
                              {"outcome", record.outcome},
                              {"leaves", record.leaves},
                              {"storages", std::move(storages)}};
  const std::string text = header.dump();
  std::string bytes = fmt::format("PDRUN1\n{:016x}\n{}", text.size(), text);
  for (std::size_t number = 0; number < record.storages.size(); ++number) {
    const auto& storage = record.storages[number];
    bytes.resize(kStart + number * kApart, '\0');
    bytes.append(reinterpret_cast<const char*>(storage.data), storage.size);
  }
  std::filesystem::create_directories(folder);
  std::ofstream(folder / executor::artefact_name(record.mode), std::ios::binary) << bytes;
}

}  // namespace parityd::simulation
