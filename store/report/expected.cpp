// "What was expected": eager's result, and what PyTorch documents.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::size_t kMostOperators = 2;
constexpr std::size_t kErrorLimit = 160;

std::string what(const DraftFacts& facts) {
  if (const auto drawn = drawn_number(facts)) return drawn_expected(*drawn);
  if (facts.finding.kind == Kind::missing_check) {
    const EvidenceRow* const round = shown_round(facts);
    const auto* const eager = round != nullptr ? round->evidence.outcome(oracle::Mode::eager) : nullptr;
    if (eager == nullptr || !eager->error) return "the error that eager raises.";
    return fmt::format("the error that eager raises, {}.",
                       inline_code(shortened(error_line(*eager->error), kErrorLimit)));
  }
  // In the order of the enumeration.
  constexpr auto kOfKind = std::to_array<const char*>({
      "the compiled program runs and returns what eager returns.",
      "",
      "the same values as eager, within the default tolerances of `torch.testing.assert_close`.",
      "the same dtype, shape, strides, requires\\_grad and memory sharing as eager.",
      "the same inputs, buffers and parameters as after the eager run.",
      "the same gradients as eager, within the default tolerances of `torch.testing.assert_close`.",
      "the process does not crash and returns the same result as eager.",
      "the compiled program finishes with the same result as eager.",
  });
  static_assert(kOfKind.size() == names(Kind{}).size());
  return kOfKind.at(static_cast<std::size_t>(facts.finding.kind));
}

std::string line(const Documented& documented) {
  return fmt::format("* `{}` {} ([documentation]({}))\n", documented.name, documented.fact, documented.page);
}

/// The documented operators that the program calls by name, uncommon ones first. Other operators of the captured graph
/// may come from a decomposition, where nobody would look for them.
std::vector<const Documented*> documented_of(const DraftFacts& facts) {
  std::vector<std::string> names = called_names(facts.finding.reduced);
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return !is_common_operator(plain_operator(name)); });
  std::vector<const Documented*> found;
  for (const std::string& name : names) {
    const Documented* const documented = documented_operator(name);
    const bool is_new = std::find(found.begin(), found.end(), documented) == found.end();
    if (documented != nullptr && is_new && found.size() < kMostOperators) found.push_back(documented);
  }
  return found;
}

constexpr Documented kOperators[] = {
#include "store/documented_rows.inc"
};

const Documented* find(std::string_view called) {
  const auto* const found = std::ranges::lower_bound(kOperators, called, {}, &Documented::name);
  return found == std::end(kOperators) || found->name != called ? nullptr : found;
}

}  // namespace

std::string expected(const DraftFacts& facts) {
  std::string text = "**Expected**: " + what(facts) + "\n\n";
  if (!drawn_number(facts)) text += line(documented_promise(facts.finding.kind));
  for (const Documented* const documented : documented_of(facts)) text += line(*documented);
  return text;
}

const Documented* documented_operator(std::string_view name) {
  constexpr std::string_view kWithIndices = "_with_indices";  // max_pool2d's own name in graphs
  std::string called = plain_operator(name);
  if (called.ends_with(kWithIndices)) called.resize(called.size() - kWithIndices.size());
  if (const Documented* const exact = find(called)) return exact;
  // "batch_norm2d" is documented on the page of batch_norm.
  const bool dimensions = called.size() > 2 && called.ends_with('d') && called[called.size() - 2] >= '1' &&
                          called[called.size() - 2] <= '3';
  return dimensions ? find(std::string_view(called).substr(0, called.size() - 2)) : nullptr;
}

std::span<const Documented> documented_operators() { return kOperators; }

const Documented& documented_promise(Kind kind) {
  static const Documented kSame{
      "torch.compile", "is documented as optimizing the given model, so the model's behaviour should not change",
      "https://docs.pytorch.org/docs/stable/generated/torch.compile.html"};
  static const Documented kClose{
      "assert_close", "treats values as close within its default tolerances for their dtype; exact types must be equal",
      "https://docs.pytorch.org/docs/stable/testing.html"};
  return oracle::values_differ(kind) ? kClose : kSame;
}

}  // namespace parityd::store
