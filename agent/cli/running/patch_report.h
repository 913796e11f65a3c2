// The result of trying a patch of torch's Python files, for `parityd verify` and `parityd fix`. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "agent/cli/running/patch_verifier.h"

namespace parityd::agent {

/// Fewer programs than this that call the operators say too little about a patch.
inline constexpr std::size_t kFewestRelated = 10;

struct PatchReport {
  std::vector<std::string> changed, added;  // files, relative to site-packages
  std::string torch;
  PatchVerifier::Judged finding;
  WhatFired fired;
  std::optional<RegressionTest> test;  // nullopt: none was given
  std::vector<std::string> operators;  // that the finding is about
  std::vector<Tried> programs;

  [[nodiscard]] bool shown_without() const { return finding.without.result == store::RecheckResult::still; }
  [[nodiscard]] bool mends() const { return shown_without() && finding.with.result == store::RecheckResult::gone; }
  /// Programs that became inconsistent, seen by fresh processes.
  [[nodiscard]] std::vector<const Tried*> broken() const;
  [[nodiscard]] std::int64_t not_judged() const;
  /// Programs that call the operators and could be judged.
  [[nodiscard]] std::size_t related() const;
  [[nodiscard]] bool too_few() const { return related() < kFewestRelated; }
  [[nodiscard]] bool passes() const {
    return mends() && fired.problem.empty() && fired.switched_off.empty() && (!test || test->proves()) &&
           broken().empty() && !too_few();
  }
  /// Whether the patch fixes the finding, in words.
  [[nodiscard]] std::string sentence() const;
};

/// The members of `verify --json`: mends, with, without, programs, broken, …
[[nodiscard]] nlohmann::json patch_json(const PatchReport& report);
void print_patch(Context& context, const PatchReport& report);

}  // namespace parityd::agent
