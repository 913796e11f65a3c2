#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <vector>

#include "oracle/json_read.h"
#include "oracle/rules/message.h"
#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

using oracle::Evidence;
using oracle::LeafMeasurement;
using oracle::Mode;
using oracle::Outcome;
using oracle::OutcomeKind;

constexpr std::size_t kMostLeaves = 12;
constexpr std::size_t kMostValues = 3;
constexpr std::size_t kMessageLimit = 160;

std::string outcome_words(const Outcome* outcome) {
  if (outcome == nullptr) return "not run";
  switch (outcome->kind) {
    case OutcomeKind::ran:
      return "runs";
    case OutcomeKind::raised: {
      if (!outcome->error) return "raises";
      return "raises " + inline_code(shortened(error_line(*outcome->error), kMessageLimit));
    }
    case OutcomeKind::died:
      return outcome->signal > 0 ? fmt::format("crashes with signal {}", outcome->signal)
                                 : fmt::format("exits with status {}", outcome->exit_status);
    case OutcomeKind::hung:
      return "does not finish (killed at the time limit)";
  }
  return {};
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

/// The reported leaves, or all that differ if the verdict names none.
std::vector<const LeafMeasurement*> reported_leaves(const EvidenceRow& round) {
  std::vector<const LeafMeasurement*> found;
  const auto* measurement = round.evidence.measurement(Mode::eager, round.evidence.compiled);
  if (measurement == nullptr) return found;
  const auto& paths = round.verdict.leaves;
  for (const LeafMeasurement& leaf : measurement->leaves) {
    const bool named = std::find(paths.begin(), paths.end(), leaf.path) != paths.end();
    const bool differs = leaf.metadata_differs() || leaf.values_differ();
    if (named || (paths.empty() && differs)) found.push_back(&leaf);
  }
  return found;
}

std::string rms(const Evidence& evidence, Mode actual, const std::string& path) {
  const auto* measurement = evidence.measurement(Mode::reference, actual);
  const auto* leaf = measurement != nullptr ? measurement->find(path) : nullptr;
  return leaf != nullptr && !leaf->missing && !leaf->shape_differs ? number(leaf->rms_difference) : "–";
}

/// How one stage's results compare with eager's, over the reported leaves.
std::string stage_words(const DraftFacts& facts, const Evidence& evidence, Mode mode) {
  const Outcome* outcome = evidence.outcome(mode);
  if (outcome == nullptr || outcome->kind != OutcomeKind::ran) return outcome_words(outcome);
  const auto* measurement = evidence.measurement(Mode::eager, mode);
  if (measurement == nullptr) return "runs";
  const EvidenceRow* round = shown_round(facts);
  const auto& paths = round != nullptr ? round->verdict.leaves : std::vector<std::string>{};
  double worst = 0;
  std::size_t differing = 0, of_values = 0, of_shape = 0;
  for (const LeafMeasurement& leaf : measurement->leaves) {
    const bool counts = paths.empty() || std::find(paths.begin(), paths.end(), leaf.path) != paths.end();
    if (!counts || !(leaf.metadata_differs() || leaf.values_differ())) continue;
    ++differing;
    of_values += leaf.values_differ() ? 1 : 0;
    of_shape += leaf.shape_differs ? 1 : 0;
    worst = std::max(worst, leaf.max_absolute);
  }
  if (differing == 0) return "same as eager";
  if (worst > 0) return fmt::format("differs from eager (max abs {})", number(worst));
  if (of_shape > 0) return "differs from eager, in shape";
  return of_values > 0 ? "differs from eager" : "differs from eager, in metadata only";
}

/// Without native frames and folders of this machine.
std::string tidied_log(std::string log) {
  static const RE2 program(R"(/[^\s"'()]*/jobs/\d+/(p\d+\.py))");
  static const RE2 installed(R"(/[^\s"'()]*/(?:site|dist)-packages/)");
  log = oracle::without_native_frames(std::move(log));
  RE2::GlobalReplace(&log, program, R"(\1)");
  RE2::GlobalReplace(&log, installed, "");
  return log;
}

}  // namespace

std::string results_table(const DraftFacts& facts) {
  const EvidenceRow* const round = shown_round(facts);
  if (round == nullptr) return "No confirmation round is stored.\n";
  const auto values = shown_values(facts, kMostValues);
  if (values.empty()) {
    const Evidence& evidence = round->evidence;
    return fmt::format("| eager | compiled | eager in fp64 |\n| --- | --- | --- |\n| {} | {} | {} |\n",
                       outcome_words(evidence.outcome(Mode::eager)), outcome_words(evidence.outcome(evidence.compiled)),
                       outcome_words(evidence.outcome(Mode::reference)));
  }
  std::string text = "| | dtype | eager | compiled | eager in fp64 | `same` |\n| --- | --- | --- | --- | --- | --- |\n";
  const auto cell = [](const std::string& value) {
    return value.empty() ? std::string("–") : inline_code(shortened(clean_line(value), kMessageLimit));
  };
  const auto& same = round->evidence.same;
  for (const ShownValue& value : values) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(value.label), value.dtype, cell(value.eager),
                        cell(value.compiled), cell(value.reference), same ? (*same ? "True" : "False") : "–");
  }
  const std::size_t all = round->verdict.leaves.size();
  return all <= values.size() ? text : text + fmt::format("\n{} more values differ.\n", all - values.size());
}

std::string outcome_table(const EvidenceRow& round) {
  const Evidence& evidence = round.evidence;
  std::string text = "| mode | outcome |\n| --- | --- |\n";
  text += fmt::format("| eager | {} |\n", outcome_words(evidence.outcome(Mode::eager)));
  text += fmt::format("| compiled ({}) | {} |\n", inline_code(oracle::name(evidence.compiled)),
                      outcome_words(evidence.outcome(evidence.compiled)));
  const auto row = [&](Mode mode, std::string_view label) {
    if (const Outcome* outcome = evidence.outcome(mode)) {
      text += fmt::format("| {} | {} |\n", label, outcome_words(outcome));
    }
  };
  row(Mode::reference, "eager in fp64");
  row(Mode::inductor_fp64, "compiled in fp64");
  row(Mode::inductor_precise, "compiled, `emulate_precision_casts`");
  return text;
}

std::string number_table(const EvidenceRow& round) {
  const auto leaves = reported_leaves(round);
  if (leaves.empty()) return {};
  std::string text =
      "| leaf | dtype | elements | unequal | max abs | max rel | RMS eager − fp64 | RMS compiled − fp64 | note |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t index = 0; index < std::min(leaves.size(), kMostLeaves); ++index) {
    const LeafMeasurement& leaf = *leaves[index];
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", inline_code(shortened(leaf.path, 60)),
                        oracle::name(leaf.dtype), leaf.elements, leaf.unequal, number(leaf.max_absolute),
                        number(leaf.max_relative), rms(round.evidence, Mode::eager, leaf.path),
                        rms(round.evidence, round.evidence.compiled, leaf.path),
                        inline_code(shortened(clean_line(leaf.detail), 80)));
  }
  if (leaves.size() > kMostLeaves) {
    text += fmt::format("\n{} more differing leaves are left out.\n", leaves.size() - kMostLeaves);
  }
  return text;
}

namespace {

/// The backend of torch.compile, or what is done with an exported program.
std::string stage_name(const DraftFacts& facts, std::string_view backend) {
  if (!is_exported(facts)) return fmt::format("`backend=\"{}\"`", backend);
  if (backend == "eager") return "`torch.export`, `module()`";
  if (backend == "aot_eager") return "`run_decompositions()`";
  return backend == "inductor" ? "AOTInductor" : "`run_decompositions()` with Inductor's table";
}

}  // namespace

std::string first_stage(const DraftFacts& facts) {
  const std::string_view name = oracle::name(facts.finding.stage);
  const auto mode = oracle::from_name<Mode>(name);
  return mode ? stage_name(facts, oracle::row(*mode).backend) : inline_code(std::string(name));
}

std::string ablation_table(const DraftFacts& facts) {
  if (!facts.stages) return {};
  std::string text = "| backend | compared with eager |\n| --- | --- |\n";
  const auto add = [&](const Evidence& evidence, Mode mode) {
    const std::string_view backend = oracle::row(mode).backend;
    text += fmt::format("| {} | {} |\n", stage_name(facts, backend), stage_words(facts, evidence, mode));
  };
  for (const Mode mode : {Mode::dynamo_eager, Mode::aot_eager, Mode::aot_eager_decomp_partition}) {
    add(*facts.stages, mode);
  }
  const EvidenceRow* const round = shown_round(facts);
  // An exported program that Inductor does not compile is one of the stages itself.
  if (round != nullptr && oracle::row(round->evidence.compiled).backend == "inductor")
    add(round->evidence, round->evidence.compiled);
  return text;
}

std::string cause(const DraftFacts& facts) {
  if (!facts.attribution || facts.attribution->runs == 0) return {};
  const AttributionRow& attribution = *facts.attribution;
  const std::string verified = fmt::format("{} in warm processes, each compared with eager",
                                           attribution.runs == 1 ? "1 run" : fmt::format("{} runs", attribution.runs));
  if (attribution.neutraliser.empty()) {
    return fmt::format("**Isolated to**: unknown; no change that was tried makes the bug disappear ({}).\n", verified);
  }
  std::string text = fmt::format("**Isolated to**: the bug disappears with {}. Verified by {}.\n",
                                 inline_code(clean_line(attribution.words)), verified);
  if (!attribution.workaround.empty()) {
    text += fmt::format("\n**Workaround**: {}{}\n", inline_code(clean_line(attribution.workaround)),
                        attribution.caveat.empty() ? "" : " (" + prose(clean_line(attribution.caveat)) + ")");
  }
  return text;
}

std::string suspected_cause(const DraftFacts& facts) {
  if (!facts.suspicion || facts.suspicion->agreement != Agreement::agrees || !facts.suspicion->place) return {};
  const SourcePlace& place = *facts.suspicion->place;
  return fmt::format(
      "**Suspected cause (suggested by a language model, not verified)**: {}, {}, line {}, of torch {}.\n",
      inline_code("torch/" + clean_line(place.file)), inline_code(clean_line(place.function)), place.line,
      inline_code(clean_line(facts.suspicion->torch)));
}

std::string tried_table(const DraftFacts& facts) {
  if (!facts.attribution) return {};
  const auto ablations = oracle::parsed(facts.attribution->ablations_json);
  if (!ablations.is_array() || ablations.empty()) return {};
  std::string text = "| change | result |\n| --- | --- |\n";
  for (const auto& tried : ablations) {
    const std::string words = tried.value("words", "");
    text +=
        fmt::format("| {} | {} |\n", words.empty() ? "none" : inline_code(shortened(clean_line(words), kMessageLimit)),
                    prose(clean_line(tried.value("answer", ""))));
  }
  return text;
}

std::string confirmation(const DraftFacts& facts) {
  if (const auto drawn = drawn_number(facts)) {
    return fmt::format(
        "{} of {} rounds reproduced it. Each round runs eager in one fresh process and compiled code in another. "
        "Compiled code draws its own random numbers (`fallback_random = False`, the default), so single values are not "
        "compared. The compared quantity is the {}.",
        facts.finding.hits, facts.finding.rounds, drawn_words(*drawn));
  }
  return fmt::format(
      "{} of {} rounds reproduced it. Each round runs eager in one fresh process and compiled code in another, and "
      "compares the saved results with default tolerances. Both draw identical random numbers (`fallback_random`, "
      "reseeded before each run), and an fp64 run serves as the reference.",
      facts.finding.hits, facts.finding.rounds);
}

std::string error_log(const DraftFacts& facts) {
  const EvidenceRow* round = shown_round(facts);
  if (round == nullptr) return {};
  const bool eager_side = facts.finding.kind == oracle::Kind::missing_check;
  const Outcome* outcome = round->evidence.outcome(eager_side ? Mode::eager : round->evidence.compiled);
  if (outcome == nullptr) return {};
  if (outcome->error) {
    const auto& error = *outcome->error;
    const std::string trace = error.traceback.empty() ? "" : error.traceback + "\n";
    const std::string last = fmt::format("{}: {}\n", error.inner_class, error.message);
    // The traceback of most exceptions ends with the message.
    return tidied_log(trace.find(error.message) != std::string::npos && !error.message.empty() ? trace : trace + last);
  }
  if (outcome->kind == OutcomeKind::died) {
    return fmt::format("The process {} in step {}{}.\n",
                       outcome->signal > 0 ? fmt::format("crashed with signal {}", outcome->signal)
                                           : fmt::format("exited with status {}", outcome->exit_status),
                       oracle::name(outcome->step),
                       outcome->native_frame.empty() ? "" : ", innermost native frame " + outcome->native_frame);
  }
  return outcome->kind == OutcomeKind::hung
             ? fmt::format("The process was killed at the time limit, in step {}.\n", oracle::name(outcome->step))
             : "";
}

}  // namespace parityd::store
