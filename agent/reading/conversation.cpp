#include "agent/reading/conversation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "store/report/suspicion.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kLeaves = 6, kOperators = 24;

/// A known difference does not count as a discovery.
prompts::Came came_of(const oracle::Verdict& verdict, const std::string& outcome) {
  switch (verdict.verdict) {
    case oracle::VerdictKind::inconsistent:
      return outcome.starts_with("shown") ? prompts::Came::shown : prompts::Came::otherwise;
    case oracle::VerdictKind::consistent:
      return prompts::Came::agreed;
    case oracle::VerdictKind::invalid:
      return prompts::Came::failed;
    default:
      return prompts::Came::otherwise;
  }
}

/// "output[0]: float32, 6 elements, rms 1.2".
std::string leaf_in_words(const oracle::LeafMeasurement& leaf) {
  return fmt::format("{}: {}, {} elements, rms {:.3g}{}", leaf.path, name(leaf.dtype), leaf.elements, leaf.rms_expected,
                     leaf.unequal > 0 ? fmt::format(", largest difference {:.3g}", leaf.max_absolute) : "");
}

void add_operators(std::vector<std::string>& lines, const char* what, std::vector<std::string> operators) {
  if (operators.empty()) return;
  const std::size_t all = operators.size();
  operators.resize(std::min(all, kOperators));
  lines.push_back(fmt::format("{}: {}{}", what, fmt::join(operators, ", "), all > kOperators ? ", …" : ""));
}

/// Values that compiled code produced and the route it took, so that the model sees whether the place it named ran at
/// all.
std::vector<std::string> details_of(const oracle::Evidence& evidence) {
  std::vector<std::string> lines;
  if (const auto* measured = evidence.measurement(oracle::Mode::eager, evidence.compiled)) {
    std::size_t told = 0;
    for (const auto& leaf : measured->leaves) {
      if (leaf.group == oracle::LeafGroup::input || told == kLeaves) continue;
      lines.push_back(leaf_in_words(leaf));
      ++told;
    }
  }
  if (const auto* compiled = evidence.outcome(evidence.compiled)) {
    lines.push_back(fmt::format("graphs captured: {}", compiled->graphs));
    add_operators(lines, "operators of the graphs", compiled->operators);
    add_operators(lines, "taken apart before", compiled->decomposed);
    add_operators(lines, "lowered by Inductor", compiled->lowered);
    std::vector<std::string> fallbacks = compiled->fallbacks;
    std::erase_if(fallbacks, oracle::is_note);
    add_operators(lines, "gave way to eager", fallbacks);
  }
  return lines;
}

/// The hypothesis' program, if it agreed with eager and has had no look yet.
std::optional<store::ProgramRow> program_to_look_at(const store::Store& store, const store::HypothesisRow& hypothesis) {
  if (hypothesis.seen || !hypothesis.program) return std::nullopt;
  auto program = store.programs.last_of_chain(*hypothesis.program);
  const bool agreed = program && program->verdict && program->verdict->verdict == oracle::VerdictKind::consistent;
  return agreed ? std::move(program) : std::nullopt;
}

std::string in_words(const oracle::Verdict& verdict, const std::string& outcome) {
  return verdict.explanation.empty() ? outcome : outcome + ": " + verdict.explanation;
}

}  // namespace

prompts::OutcomeFacts outcome_facts(const store::Store& store, const store::ReadingRow& reading) {
  prompts::OutcomeFacts facts{.torch = reading.torch};
  for (const auto& hypothesis : store.hypotheses.of_reply(reading.reply)) {
    const auto program = hypothesis.program ? store.programs.last_of_chain(*hypothesis.program) : std::nullopt;
    if (!program || !program->verdict) continue;
    prompts::ToldOutcome told{.place = hypothesis.place,
                              .hypothesis = hypothesis.text,
                              .came = came_of(*program->verdict, hypothesis.outcome),
                              .words = in_words(*program->verdict, hypothesis.outcome),
                              .seen = hypothesis.seen.value_or("")};
    const auto evidence = store.examinations.of(program->id);
    const auto screen = std::find_if(evidence.rbegin(), evidence.rend(),
                                     [](const auto& row) { return row.purpose == store::Examination::screen; });
    if (told.came != prompts::Came::failed && screen != evidence.rend()) told.details = details_of(screen->evidence);
    facts.outcomes.push_back(std::move(told));
  }
  return facts;
}

bool wants_looks(const store::Store& store, const store::ReadingRow& reading) {
  return std::ranges::any_of(store.hypotheses.of_reply(reading.reply),
                             [&](const auto& each) { return program_to_look_at(store, each).has_value(); });
}

std::vector<Look> looks_wanted(const store::Store& store, const store::ReadingRow& reading) {
  std::vector<Look> wanted;
  for (const auto& hypothesis : store.hypotheses.of_reply(reading.reply)) {
    const auto program = program_to_look_at(store, hypothesis);
    if (!program) continue;
    Look look{.hypothesis = hypothesis.id,
              .program = program->text,
              .device = store.environments.seen_on(program->id).value_or(store::EnvironmentRow{}).device};
    if (const auto unit = store::unit_supposed(store, reading, hypothesis.text);
        unit && store::is_of_compiler(unit->area)) {
      look.place = executor::SourceSpan{.file = unit->file,
                                        .first_line = unit->first_line,
                                        .last_line = unit->first_line + static_cast<int>(unit->lines) - 1};
    }
    wanted.push_back(std::move(look));
  }
  return wanted;
}

}  // namespace parityd::agent
