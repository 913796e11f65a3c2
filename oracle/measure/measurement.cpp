#include "oracle/measure/measurement.h"

#include <algorithm>

#include "oracle/names.h"

namespace parityd::oracle {
namespace {

constexpr std::array<std::string_view, 5> kOtherwise{"nothing", "told", "stack", "nan", "zero"};

}  // namespace

std::string_view name(Otherwise otherwise) { return name_in(kOtherwise, otherwise); }
std::optional<Otherwise> otherwise_from_name(std::string_view name) { return value_in<Otherwise>(kOtherwise, name); }

bool LeafMeasurement::values_differ() const {
  return nan_differs > 0 || inf_differs > 0 || exceeds_tolerance || (is_exact(dtype) && unequal > 0);
}

const LeafMeasurement* Measurement::find(const std::string& path) const {
  const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const auto& leaf) { return leaf.path == path; });
  return found == leaves.end() ? nullptr : &*found;
}

}  // namespace parityd::oracle
