#include "oracle/run_record.h"

#include <algorithm>

#include "oracle/names.h"

namespace parityd::oracle {
namespace {

constexpr std::array<std::string_view, 4> kOutcomes{"ran", "raised", "died", "hung"};
constexpr std::array<std::string_view, 10> kSteps{"start",   "import_program", "inputs",  "model",   "compile",
                                                  "forward", "backward",       "measure", "compare", "reset"};
constexpr std::array<std::string_view, 8> kGroups{"input",  "output", "earlier_output", "input_after",
                                                  "buffer", "state",  "parameter",      "gradient"};

}  // namespace

std::string_view name(OutcomeKind kind) { return name_in(kOutcomes, kind); }
std::optional<OutcomeKind> outcome_kind_from_name(std::string_view name) {
  return value_in<OutcomeKind>(kOutcomes, name);
}

std::string_view name(Step step) { return name_in(kSteps, step); }
std::optional<Step> step_from_name(std::string_view name) { return value_in<Step>(kSteps, name); }

bool calls_model(Step step) { return step == Step::compile || step == Step::forward || step == Step::backward; }

std::string_view name(LeafGroup group) { return name_in(kGroups, group); }
std::optional<LeafGroup> leaf_group_from_name(std::string_view name) { return value_in<LeafGroup>(kGroups, name); }

const Leaf* RunRecord::find(const std::string& path) const {
  const auto found = std::ranges::find(leaves, path, &Leaf::path);
  return found == leaves.end() ? nullptr : &*found;
}

LeavesByPath leaves_by_path(const RunRecord& record) {
  LeavesByPath leaves;
  for (const Leaf& leaf : record.leaves) leaves.emplace(leaf.path, &leaf);
  return leaves;
}

}  // namespace parityd::oracle
