#include "oracle/rules.h"

#include <array>
#include <charconv>
#include <utility>

#include "oracle/freedoms.h"
#include "oracle/known.h"
#include "oracle/nondeterminism.h"

namespace parityd::oracle::rules {
namespace {

/// Eager itself moves the leaf about as far, by an operator known for it.
std::optional<FreeLeaf> spread_leaf(const Evidence& evidence, const Judging& judging, const std::string& path) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  const LeafMeasurement* const leaf = measured == nullptr ? nullptr : measured->find(path);
  const auto spread = leaf == nullptr ? std::nullopt : spread_of(evidence, path);
  if (!spread || !judging.allows(spread->operator_used->excuse) || !within(*spread, *leaf)) return std::nullopt;
  return FreeLeaf{std::string(spread->operator_used->excuse),
                  "but two eager runs differ by " + short_number(spread->repeat->max_absolute) + " (rms " +
                      short_number(spread->repeat->rms_difference) + ") themselves, and " +
                      std::string(spread->operator_used->of) + " is nondeterministic (" +
                      std::string(kNondeterministicSource) + ")"};
}

}  // namespace

Verdict make_verdict(VerdictKind verdict, std::string rule, std::string explanation) {
  return {verdict, std::nullopt, std::move(rule), std::move(explanation), {}};
}

Verdict make_inconsistent(Kind kind, std::string rule, std::string explanation, std::vector<std::string> leaves) {
  return {VerdictKind::inconsistent, kind, std::move(rule), std::move(explanation), std::move(leaves)};
}

std::optional<FreeLeaf> free_leaf(const Evidence& evidence, const Judging& judging, const std::string& path) {
  for (const Reached& reached : freedoms_reaching(evidence, path)) {
    if (!judging.allows(reached.freedom->excuse)) continue;
    return FreeLeaf{std::string(reached.freedom->excuse),
                    "but it depends on " + std::to_string(reached.observation->elements) + " elements of " +
                        reached.observation->operator_name + " where " + std::string(reached.freedom->about) + " (" +
                        std::string(reached.freedom->source) + ")"};
  }
  return spread_leaf(evidence, judging, path);
}

bool is_about_zero_sign(const Verdict& verdict) {
  return verdict.rule == "numbers.zero_sign" || verdict.rule == "metadata.zero_sign";
}

bool speaks_last(const Verdict& verdict) { return is_about_zero_sign(verdict) || known_fault(verdict.rule) != nullptr; }

std::optional<FreeLeaf> asked_leaf(const LeafMeasurement& leaf, const Judging& judging) {
  constexpr const char* kExcuse = "documented.asks_if_compiled";
  if (!judging.allows(kExcuse)) return std::nullopt;
  if (leaf.otherwise == Otherwise::told)
    return FreeLeaf{kExcuse, "but the program asks whether it is compiled, and eager gives the same when told so"};
  if (leaf.otherwise == Otherwise::stack)
    return FreeLeaf{kExcuse, "but the program looks at the stack, and eager moves it, too, when called otherwise"};
  return std::nullopt;
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  char* const end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr;
  return {text.data(), end};
}

int rank(LeafGroup group) {
  switch (group) {
    case LeafGroup::output:
      return 0;
    case LeafGroup::input_after:
      return 1;
    case LeafGroup::buffer:
      return 2;
    case LeafGroup::parameter:
      return 3;
    case LeafGroup::gradient:
      return 4;
    case LeafGroup::input:
      break;
  }
  return 5;
}

Kind kind_of_values(LeafGroup group) {
  if (group == LeafGroup::gradient) return Kind::gradient;
  return group == LeafGroup::output ? Kind::numerical : Kind::mutation;
}

}  // namespace parityd::oracle::rules
