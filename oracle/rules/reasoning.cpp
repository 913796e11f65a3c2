// The reasoning of the number rules in words: `parityd check --explain`.
#include <sstream>

#include "oracle/dtype.h"
#include "oracle/measure/totals.h"
#include "oracle/rules/explain.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

constexpr std::size_t kLabel = 24;

/// One fact: a question, wrapped, with its continuation lines indented under the answer.
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
  if (leaf.nan_differs > 0) text += ", NaN in " + std::to_string(leaf.nan_differs) + " other places";
  if (leaf.inf_differs > 0) text += ", Inf in " + std::to_string(leaf.inf_differs) + " other places";
  return text;
}

std::string beyond_tolerance(const LeafMeasurement& leaf) {
  if (is_exact(leaf.dtype)) return size_of(leaf) + "; any counts";
  const double allowed = allowed_by(default_tolerance(leaf.dtype), leaf.rms_expected);
  return size_of(leaf) + "; allowed " + rules::short_number(allowed) +
         (leaf.values_differ() ? ""
                               : "; only single elements by their own size: " + rules::short_number(leaf.max_scaled) +
                                     " times what is allowed");
}

std::string or_absent(const LeafMeasurement* leaf) {
  if (leaf == nullptr) return "was not measured";
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
    text += answer("in eager, chosen otherwise?", "agrees: " + std::string(name(leaf.otherwise)));
  const LeafMeasurement* const repeat = evidence.leaf(Mode::eager, Mode::eager_repeat, leaf.path);
  if (repeat != nullptr && repeat->unequal > 0) text += answer("eager twice?", size_of(*repeat));
  return text;
}

}  // namespace

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
