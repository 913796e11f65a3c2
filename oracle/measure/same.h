// PyTorch's own verdict, torch._dynamo.utils.same, over the output leaves of run records. Maintainers ask for it, so it
// is recorded beside the oracle's verdict. Agrees with torch 2.6 to 2.13 on tensors of one shape, on shapes that
// broadcast, and on Python values; exact_dtype is always on. Any thread.
#pragma once

#include <optional>
#include <string>

#include "oracle/measure/measure.h"

namespace parityd::oracle {

struct SameAnswer {
  std::optional<bool> verdict;  // nullopt if torch raises
  std::string detail;           // which leaf failed, or why there is no verdict
};

/// same(eager, compiled, fp64_ref=reference); `reference` may be null. `measured` holds the numbers of these records,
/// taken with the same settings.
[[nodiscard]] SameAnswer same(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference,
                              const MeasuredLeaves& measured, const SameSettings& settings = {});

}  // namespace parityd::oracle
