#include "oracle/run_record.h"

#include <algorithm>

namespace parityd::oracle {
bool calls_model(Step step) { return step == Step::compile || step == Step::forward || step == Step::backward; }

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
