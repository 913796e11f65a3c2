// The symptom of a finding: what an ablation's run is held against to say whether the finding is still there. Pure; any
// thread.
#pragma once

#include "oracle/finding/attribute.h"
#include "oracle/rules/verdict.h"

namespace parityd::oracle {

/// `symptom`: what a gate round showed, or a warm look. `ablated` holds eager and the compiled mode of a run with
/// neutralisers.
///   stays: the same kind of inconsistency, on any of the same leaves or with the same error signature;
///   vanishes: none of it, and nothing is wrong now that was not wrong before;
///   differs_otherwise: anything else.
[[nodiscard]] Answer answer_of(const Shown& symptom, const Evidence& ablated);

}  // namespace parityd::oracle
