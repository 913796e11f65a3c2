// What happens next with a finding, and why, in every state it can be in. Pure; any thread.
#pragma once

#include <string>

#include "oracle/finding/disposition.h"
#include "store/findings/findings.h"

namespace parityd::store {

struct NextStep {
  std::string step;
  std::string why;
};

/// For a new finding of this disposition.
[[nodiscard]] std::string next_step_of(const oracle::Disposition& disposition);

/// A finding that nobody has touched keeps what it was stored with; a merge and a status say their own.
[[nodiscard]] NextStep next_step(const FindingRow& finding);

}  // namespace parityd::store
