#include "oracle/rules/explain.h"

#include <algorithm>
#include <sstream>

#include "oracle/dtype.h"
#include "oracle/measure/totals.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

constexpr std::size_t kModeWidth = 27;
constexpr std::size_t kPairWidth = 32;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

/// Converts a text to one line of at most `width` columns.
std::string fitted(std::string text, std::size_t width) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  if (columns(text) <= width) return text;
  std::size_t kept = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    if (!continues_character(text[end]) && ++kept == width) break;
    ++end;
  }
  return text.substr(0, end) + "…";
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = columns(text);
  return used < width ? text + std::string(width - used, ' ') : text;
}

std::string line(const std::string& text) { return fitted(text, kExplanationColumns) + "\n"; }

std::string outcome_line(Mode mode, const Outcome& outcome) {
  std::string text = "  " + padded(std::string(name(mode)), kModeWidth) + padded(std::string(name(outcome.kind)), 7) +
                     padded(rules::short_number(outcome.seconds) + " s", 11);
  if (outcome.graphs > 0) text += std::to_string(outcome.graphs) + (outcome.graphs == 1 ? " graph  " : " graphs  ");
  if (outcome.kind != OutcomeKind::ran) text += "in " + std::string(name(outcome.step)) + "  ";
  if (outcome.signal != 0) text += "signal " + std::to_string(outcome.signal) + "  ";
  if (outcome.exit_status != 0) text += "exit " + std::to_string(outcome.exit_status) + "  ";
  if (!outcome.native_frame.empty()) text += outcome.native_frame + "  ";
  for (const std::string& fallback : outcome.fallbacks) text += fallback + "  ";
  for (const std::string& name : outcome.replaced) text += "replaced " + name + "  ";
  if (outcome.error) text += outcome.error->outer_class + ": " + outcome.error->message;
  text.erase(text.find_last_not_of(' ') + 1);
  return line(text);
}

/// The mode had nothing to run: no number was subnormal (the normal modes), or there was no choice to vary
/// (eager_otherwise).
bool had_nothing_to_do(const Outcome& outcome) {
  return outcome.error &&
         (outcome.error->outer_class == "NothingSubnormal" || outcome.error->outer_class == "NothingToChoose");
}

std::string observation_lines(const Outcome& outcome) {
  std::string text;
  for (const Observation& seen : outcome.observations) {
    std::string leaves;
    for (const std::string& path : seen.leaves) leaves += (leaves.empty() ? "" : ", ") + path;
    text += line("  " + seen.rule + ": " + std::to_string(seen.elements) + " elements of " + seen.operator_name +
                 ", which affect " + leaves);
  }
  return text;
}

bool differs(const LeafMeasurement& leaf) {
  return leaf.metadata_differs() || leaf.unequal > 0 || leaf.sign_differs > 0;
}

/// The double pairs differ in dtype by design, and always in the last bits. So only pairs against eager make a leaf
/// worth showing, and the double run if it differs beyond tolerance.
bool worth_showing(const Measurement& measurement, const LeafMeasurement& leaf) {
  if (measurement.expected == Mode::eager) return differs(leaf);
  return measurement.actual == Mode::inductor_fp64 && leaf.values_differ();
}

std::vector<std::string> leaves_worth_showing(const Evidence& evidence) {
  std::vector<std::string> paths;
  for (const Measurement& measurement : evidence.measurements) {
    for (const LeafMeasurement& leaf : measurement.leaves) {
      const bool known = std::find(paths.begin(), paths.end(), leaf.path) != paths.end();
      if (!known && worth_showing(measurement, leaf)) paths.push_back(leaf.path);
    }
  }
  return paths;
}

std::string metadata_text(const LeafMeasurement& leaf) {
  std::string text;
  const auto add = [&](bool differing, const char* what) {
    if (differing) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(leaf.missing, "missing");
  add(leaf.type_differs, "type");
  add(leaf.dtype_differs, "dtype");
  add(leaf.shape_differs, "shape");
  add(leaf.stride_differs, "stride");
  add(leaf.requires_grad_differs, "requires_grad");
  add(leaf.alias_differs, "aliasing");
  return text;
}

std::string numbers_text(const LeafMeasurement& leaf) {
  std::string text = padded(std::to_string(leaf.unequal) + "/" + std::to_string(leaf.elements), 12);
  text += padded(rules::short_number(leaf.max_absolute), 10) + padded(rules::short_number(leaf.rms_difference), 10) +
          padded(rules::short_number(leaf.rms_expected), 10);
  text += leaf.values_differ() ? "differs" : "";
  if (leaf.nan_differs > 0) text += " NaN:" + std::to_string(leaf.nan_differs);
  if (leaf.inf_differs > 0) text += " Inf:" + std::to_string(leaf.inf_differs);
  if (!leaf.values_differ() && leaf.max_scaled > 1) text += "small values:" + rules::short_number(leaf.max_scaled);
  if (leaf.beyond_noise >= 0) text += " beyond noise:" + std::to_string(leaf.beyond_noise);
  if (leaf.otherwise != Otherwise::nothing) text += " otherwise:" + std::string(name(leaf.otherwise));
  if (leaf.sign_differs > 0) text += " signs:" + std::to_string(leaf.sign_differs);
  return text;
}

std::string leaf_block(const Evidence& evidence, const std::string& path) {
  std::string block;
  std::string details;
  for (const Measurement& measurement : evidence.measurements) {
    const LeafMeasurement* const leaf = measurement.find(path);
    if (leaf == nullptr) continue;
    if (block.empty()) block = line(path + "  (" + std::string(name(leaf->dtype)) + ")");
    const std::string pair = std::string(name(measurement.actual)) + " / " + std::string(name(measurement.expected));
    std::string row = "  " + padded(pair, kPairWidth) + numbers_text(*leaf);
    row.erase(row.find_last_not_of(' ') + 1);
    block += line(row);
    const std::string metadata = metadata_text(*leaf);
    const bool by_design = measurement.expected == Mode::reference && metadata == "dtype";
    if (!metadata.empty() && !by_design) details += line("    " + pair + ": " + leaf->detail);
  }
  return block + details;
}

constexpr std::size_t kLabel = 24;

/// One fact: a question, then its wrapped answer, with continuation lines indented under the answer.
std::string answer(const std::string& question, const std::string& text) {
  const std::string indent(4 + kLabel, ' ');
  std::string lines = "    " + question + std::string(question.size() < kLabel ? kLabel - question.size() : 1, ' ');
  std::size_t column = lines.size();
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + word.size() > kExplanationColumns) {
      lines += "\n" + indent;
      column = indent.size();
    } else if (!first) {
      lines += " ";
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines + "\n";
}

std::string size_of(const LeafMeasurement& leaf) {
  std::string text =
      is_exact(leaf.dtype)
          ? std::to_string(leaf.unequal) + " of " + std::to_string(leaf.elements) + " elements unequal"
          : "max " + rules::short_number(leaf.max_absolute) + ", rms " + rules::short_number(leaf.rms_difference);
  if (leaf.nan_differs > 0) text += ", NaN in " + std::to_string(leaf.nan_differs) + " different places";
  if (leaf.inf_differs > 0) text += ", Inf in " + std::to_string(leaf.inf_differs) + " different places";
  return text;
}

std::string beyond_tolerance(const LeafMeasurement& leaf) {
  if (is_exact(leaf.dtype)) return size_of(leaf) + "; exact dtype, any difference counts";
  const double allowed = allowed_by(default_tolerance(leaf.dtype), leaf.rms_expected);
  return size_of(leaf) + "; allowed " + rules::short_number(allowed) +
         (leaf.values_differ() ? ""
                               : "; only single elements differ, relative to their size: " +
                                     rules::short_number(leaf.max_scaled) + " times the allowed difference");
}

std::string or_absent(const LeafMeasurement* leaf) {
  if (leaf == nullptr) return "not measured";
  return size_of(*leaf) + (leaf->values_differ() ? "; differs" : "; agrees");
}

std::string facts(const Evidence& evidence, const LeafMeasurement& leaf) {
  std::string text = answer("differs from eager?", beyond_tolerance(leaf));
  text += answer("under precision casts?", or_absent(evidence.leaf(Mode::eager, Mode::inductor_precise, leaf.path)));
  text += answer("in double?", or_absent(evidence.leaf(Mode::reference, Mode::inductor_fp64, leaf.path)));
  const LeafMeasurement* const eager = evidence.leaf(Mode::reference, Mode::eager, leaf.path);
  const LeafMeasurement* const compiled = evidence.leaf(Mode::reference, evidence.compiled, leaf.path);
  if (eager != nullptr && compiled != nullptr)
    text += answer("how far from double?", "eager " + size_of(*eager) + "; compiled " + size_of(*compiled));
  if (leaf.beyond_noise >= 0) text += answer("beyond rounding noise?", std::to_string(leaf.beyond_noise) + " elements");
  if (leaf.otherwise != Otherwise::nothing)
    text += answer("in eager, with the other choice?", "agrees: " + std::string(name(leaf.otherwise)));
  const LeafMeasurement* const repeat = evidence.leaf(Mode::eager, Mode::eager_repeat, leaf.path);
  if (repeat != nullptr && repeat->unequal > 0) text += answer("eager twice?", size_of(*repeat));
  return text;
}

}  // namespace

std::string explain(const Evidence& evidence) {
  std::string text = line("outcomes");
  for (const auto& [mode, outcome] : evidence.outcomes) {
    if (!had_nothing_to_do(outcome)) text += outcome_line(mode, outcome);
  }
  for (const auto& [mode, outcome] : evidence.outcomes) text += observation_lines(outcome);
  const std::vector<std::string> paths = leaves_worth_showing(evidence);
  if (paths.empty()) {
    if (!evidence.measurements.empty()) text += line("every leaf is equal in every measured pair");
  } else {
    text += line("  " + padded("actual / expected", kPairWidth) + padded("unequal", 12) + padded("max", 10) +
                 padded("rms", 10) + "rms exp.");
    for (std::size_t i = 0; i < std::min(paths.size(), kMostLeavesExplained); ++i)
      text += leaf_block(evidence, paths[i]);
    if (paths.size() > kMostLeavesExplained)
      text += line("… and " + std::to_string(paths.size() - kMostLeavesExplained) + " more leaves");
  }
  if (evidence.same) text += line(std::string("torch._dynamo.utils.same: ") + (*evidence.same ? "True" : "False"));
  if (!evidence.same_detail.empty()) text += line("torch._dynamo.utils.same: " + evidence.same_detail);
  for (const std::string& warning : evidence.warnings) text += line("warning: " + warning);
  return text;
}

std::string reasoning(const Evidence& evidence, const ExcusesOff& off) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  const bool full = evidence.outcome(Mode::eager_repeat) != nullptr;
  const rules::Judging judging{full ? rules::Depth::full : rules::Depth::cheap, off};
  const auto reasons = rules::reasons_of_numbers(evidence, judging);
  if (measured == nullptr || reasons.empty()) return "";
  std::string text = "leaves whose values differ\n";
  std::size_t shown = 0;
  for (const rules::LeafReason& reason : reasons) {
    if (++shown > kMostLeavesExplained) break;
    text += "  " + reason.path + ": " + (reason.reported ? "reported" : "excused") + " by " + reason.rule + "\n";
    text += facts(evidence, *measured->find(reason.path)) + answer("so", reason.sentence);
  }
  if (shown > kMostLeavesExplained)
    text += "  … and " + std::to_string(reasons.size() - kMostLeavesExplained) + " more\n";
  return text;
}

}  // namespace parityd::oracle
