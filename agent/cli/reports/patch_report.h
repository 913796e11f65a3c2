// The result of trying a patch of torch's Python files, for `parityd verify` and `parityd fix`. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "store/findings/fixes.h"

namespace parityd::agent {

struct PatchReport {
  std::vector<std::string> changed, added;  // files, relative to site-packages
  std::string torch;
  std::vector<store::FixCheck> checks;  // in the order in which they ran; none after the first that failed
  std::vector<store::Id> also_gone;     // other findings that vanish with it; only if all checks passed

  /// That of the check that failed; accepted: all passed.
  [[nodiscard]] store::FixResult result() const;
  [[nodiscard]] double seconds() const;
};

/// The members of `verify --json`: torch, changed, new, result, checks, also_gone.
[[nodiscard]] nlohmann::json patch_json(const PatchReport& report);
/// The files, a table of the checks, and the result.
void print_patch(Context& context, const PatchReport& report);

}  // namespace parityd::agent
