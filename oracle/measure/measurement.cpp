#include "oracle/measure/measurement.h"

#include <algorithm>

#include "oracle/names.h"

namespace parityd::oracle {
bool LeafMeasurement::values_differ() const {
  return nan_differs > 0 || inf_differs > 0 || exceeds_tolerance || (is_exact(dtype) && unequal > 0);
}

const LeafMeasurement* Measurement::find(const std::string& path) const {
  const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const auto& leaf) { return leaf.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

}  // namespace parityd::oracle
