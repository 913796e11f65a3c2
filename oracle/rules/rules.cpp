#include "oracle/rules/rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "oracle/rules/allowances.h"
#include "oracle/rules/excuses.h"

namespace parityd::oracle::rules {
namespace {

/// Two eager runs differ about as far in this leaf, by an operator known to be nondeterministic.
std::optional<FreeLeaf> spread_leaf(const Evidence& evidence, const Judging& judging, const std::string& path) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  const LeafMeasurement* const leaf = measured == nullptr ? nullptr : measured->find(path);
  const auto spread = leaf == nullptr ? std::nullopt : spread_of(evidence, path);
  if (!spread || !judging.allows(spread->operator_used->excuse()) || !within(*spread, *leaf)) return std::nullopt;
  return FreeLeaf{spread->operator_used->excuse(),
                  "but two eager runs differ by " + short_number(spread->repeat->max_absolute) + " (rms " +
                      short_number(spread->repeat->rms_difference) + "), and " +
                      std::string(spread->operator_used->of) + " is nondeterministic (" +
                      std::string(kNondeterministicSource) + ")"};
}

bool is_unsteady(const Evidence& evidence, const LeafMeasurement& leaf) {
  if (leaf.group != LeafGroup::state) return false;
  const LeafMeasurement* const repeat = evidence.leaf(Mode::eager, Mode::eager_repeat, leaf.path);
  return repeat != nullptr && (repeat->metadata_differs() || repeat->unequal > 0);
}

}  // namespace

Verdict make_verdict(VerdictKind verdict, std::string rule, std::string explanation) {
  return {verdict, std::nullopt, std::move(rule), std::move(explanation), {}};
}

Verdict make_inconsistent(Kind kind, std::string rule, std::string explanation, std::vector<std::string> leaves) {
  return {VerdictKind::inconsistent, kind, std::move(rule), std::move(explanation), std::move(leaves)};
}

std::optional<FreeLeaf> free_leaf(const Evidence& evidence, const Judging& judging, const std::string& path) {
  for (const Reached& reached : allowances_of(evidence, path)) {
    if (!judging.allows(reached.allowance->excuse)) continue;
    return FreeLeaf{std::string(reached.allowance->excuse),
                    "but it depends on " + std::to_string(reached.observation->elements) + " elements of " +
                        reached.observation->operator_name + " where " + std::string(reached.allowance->about) + " (" +
                        std::string(reached.allowance->source) + ")"};
  }
  return spread_leaf(evidence, judging, path);
}

bool is_about_zero_sign(const Verdict& verdict) {
  return verdict.rule == "numbers.zero_sign" || verdict.rule == "metadata.zero_sign";
}

bool speaks_last(const Verdict& verdict) { return is_about_zero_sign(verdict) || known_fault(verdict.rule) != nullptr; }

std::optional<FreeLeaf> asked_leaf(const LeafMeasurement& leaf, const Judging& judging) {
  constexpr const char* kExcuse = "documented.asks_if_compiled";
  constexpr const char* kCheckpoint = "documented.checkpoint";
  // Forward is the same with and without a checkpoint.
  if (leaf.otherwise == Otherwise::kept && leaf.group != LeafGroup::output && judging.allows(kCheckpoint)) {
    return FreeLeaf{kCheckpoint,
                    "but a checkpoint computes something else in backward, and eager gives the same result without it"};
  }
  if (!judging.allows(kExcuse)) return std::nullopt;
  if (leaf.otherwise == Otherwise::told) {
    return FreeLeaf{
        kExcuse, "but the program asks whether it is compiled, and eager gives the same result if the answer is yes"};
  }
  if (leaf.otherwise == Otherwise::stack) {
    return FreeLeaf{kExcuse,
                    "but the program inspects the stack, and eager's result also changes with the way it is called"};
  }
  return std::nullopt;
}

bool is_compared(const Evidence& evidence, const LeafMeasurement& leaf) {
  return leaf.group != LeafGroup::input && (leaf.unopened.empty() || leaf.type_differs) && !is_unsteady(evidence, leaf);
}

std::string not_compared(const Evidence& evidence) {
  constexpr int kMost = 5;
  std::string text;
  int more = -kMost;
  for (const LeafMeasurement& leaf : evidence.measurement(Mode::eager, evidence.compiled)->leaves) {
    const bool unsteady = is_unsteady(evidence, leaf);
    if (leaf.group == LeafGroup::input || (leaf.unopened.empty() && !unsteady) || ++more > 0) continue;
    text += (text.empty() ? "" : ", ") + leaf.path + " (" +
            (leaf.unopened.empty() ? "not the same in two eager runs" : leaf.unopened) + ")";
  }
  return more > 0 ? text + " and " + std::to_string(more) + " more" : text;
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr;
  return {text.data(), end};
}

int rank(LeafGroup group) {
  constexpr std::array kRanked{LeafGroup::output, LeafGroup::earlier_output, LeafGroup::input_after, LeafGroup::buffer,
                               LeafGroup::state,  LeafGroup::parameter,      LeafGroup::gradient,    LeafGroup::input};
  return static_cast<int>(std::ranges::find(kRanked, group) - kRanked.begin());
}

Kind kind_of_values(LeafGroup group) {
  if (group == LeafGroup::gradient) return Kind::gradient;
  // State that forward keeps is computed like its outputs.
  const bool computed = group == LeafGroup::output || group == LeafGroup::earlier_output || group == LeafGroup::state;
  return computed ? Kind::numerical : Kind::mutation;
}

}  // namespace parityd::oracle::rules
