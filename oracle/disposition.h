// Disposition: is a finding worth a maintainer's time? (DESIGN §5 table.) Policy, apart from the facts. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>

#include "oracle/input_facts.h"
#include "oracle/verdict.h"

namespace parityd::oracle {

struct Disposition {
  enum class Class { ready, umbrella, held } klass = Class::ready;
  int severity = 2;        // 1 worst; ready only
  int umbrella_issue = 0;  // umbrella only
  std::string reason;      // held only: "stride", "flaky", "eager", …
  /// "ready", "umbrella(197554)", "held(stride)".
  [[nodiscard]] std::string text() const;
};

/// For an inconsistent verdict. `inputs` are the facts of eager's record where the caller has it.
[[nodiscard]] Disposition disposition_of(const Verdict& verdict, const Evidence& evidence,
                                         const InputFacts& inputs = {});

}  // namespace parityd::oracle
