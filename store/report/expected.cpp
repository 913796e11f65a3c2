// "What was expected": eager's result, and what PyTorch documents.
#include <fmt/format.h>

#include <algorithm>

#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/report/documented.h"
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
  switch (facts.finding.kind) {
    case Kind::behaviour:
      return "it runs and returns what eager returns.";
    case Kind::missing_check: {
      const EvidenceRow* const round = shown_round(facts);
      const auto* const eager = round != nullptr ? round->evidence.outcome(oracle::Mode::eager) : nullptr;
      if (eager == nullptr || !eager->error) return "the error of eager.";
      return fmt::format("the error of eager, {}.", inline_code(shortened(error_line(*eager->error), kErrorLimit)));
    }
    case Kind::numerical:
      return "the values of eager, within the default tolerances of `torch.testing.assert_close`.";
    case Kind::metadata:
      return "the dtype, shape, strides, requires\\_grad and sharing of memory that eager has.";
    case Kind::mutation:
      return "inputs, buffers and parameters as eager leaves them.";
    case Kind::gradient:
      return "the gradients of eager, within the default tolerances of `torch.testing.assert_close`.";
    case Kind::crash:
      return "the process lives, and the result is that of eager.";
    case Kind::hang:
      return "it ends, with the result of eager.";
  }
  return {};
}

std::string line(const Documented& documented) {
  return fmt::format("* `{}` {} ([documentation]({}))\n", documented.name, documented.fact, documented.page);
}

/// Those the program calls by name, telling ones first. What the captured graph has beside may be a decomposition's:
/// nobody looks for it there.
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

}  // namespace

std::string expected(const DraftFacts& facts) {
  std::string text = "**Expected**: " + what(facts) + "\n\n";
  if (!drawn_number(facts)) text += line(documented_promise(facts.finding.kind));
  for (const Documented* const documented : documented_of(facts)) text += line(*documented);
  return text;
}

}  // namespace parityd::store
