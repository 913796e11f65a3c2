#include "tests/simulation/simulated_syntax.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace parityd::simulation {
namespace {

constexpr std::string_view kFiller = "        filler = 0\n";

executor::ReducedText without_filler(std::string program, bool also_filler) {
  if (const auto at = program.find(kFiller); also_filler && at != std::string::npos) {
    program.erase(at, kFiller.size());
  }
  const auto lines = static_cast<int>(std::ranges::count(program, '\n'));
  const int statements = program.find(kFiller) == std::string::npos ? 1 : 2;
  return {.program = std::move(program), .options_text = "{}", .statements = statements, .lines = lines};
}

}  // namespace

void SimulatedSyntax::normalise(const std::string& program, bool, bool, Done<executor::Normalised> done) {
  const XXH128_hash_t hash = XXH3_128bits(program.data(), program.size());
  executor::Normalised normalised{.identity = fmt::format("{:016x}{:016x}", hash.high64, hash.low64), .text = program};
  normalised.options_text = "{}";
  normalised.has_model = normalised.has_inputs = true;
  answers_.emplace_back([done = std::move(done), normalised] { done(normalised); });
}

void SimulatedSyntax::outline(const std::string&, Done<executor::Outline> done) {
  answers_.emplace_back(
      [done = std::move(done)] { done(executor::Outline{.operators = {"torch.add"}, .statements = 2}); });
}

void SimulatedSyntax::mutants(const executor::MutantWishes&, Done<std::vector<executor::Mutant>> done) {
  answers_.emplace_back([done = std::move(done)] { done(std::vector<executor::Mutant>{}); });
}

void SimulatedSyntax::with_options(const std::string& program, const std::string&, executor::StatedOptions,
                                   Done<executor::Normalised> done) {
  normalise(program, false, false, std::move(done));
}

/// One: the statement that does nothing.
void SimulatedSyntax::reductions(const std::string& program, const std::string&, Done<executor::ReductionEdits> done) {
  executor::ReductionEdits edits{.edits = {}, .statements = 1, .lines = 9};
  if (program.find(kFiller) != std::string::npos) {
    edits.edits.push_back({.id = "filler", .family = "statements", .style = "nested", .description = "its filler"});
    edits.statements = 2;
  }
  answers_.emplace_back([done = std::move(done), edits] { done(edits); });
}

void SimulatedSyntax::reduced(const std::string& program, const std::string&, const std::vector<std::string>& edit_ids,
                              executor::UnreadLocals, Done<executor::ReducedText> done) {
  answers_.emplace_back([done = std::move(done), text = without_filler(program, !edit_ids.empty())] { done(text); });
}

void SimulatedSyntax::plain(const std::string& program, executor::UnreadLocals, Done<executor::ReducedText> done) {
  answers_.emplace_back([done = std::move(done), text = without_filler(program, false)] { done(text); });
}

void SimulatedSyntax::variants(const std::string&, const std::string&, const std::vector<std::string>&,
                               Done<std::vector<executor::ProgramVariant>> done) {
  answers_.emplace_back([done = std::move(done)] { done(std::vector<executor::ProgramVariant>{}); });
}

void SimulatedSyntax::poll() {
  for (auto& answer : std::exchange(answers_, {})) {
    answer();
  }
}

}  // namespace parityd::simulation
