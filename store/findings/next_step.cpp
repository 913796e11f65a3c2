#include "store/findings/next_step.h"

#include <fmt/format.h>

namespace parityd::store {

std::string next_step_of(const oracle::Disposition& disposition) {
  switch (disposition.klass) {
    case oracle::Disposition::Class::ready:
      return "read the draft, check it yourself, file it";
    case oracle::Disposition::Class::umbrella:
      return fmt::format("add it to issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::known:
      return fmt::format("none: follow issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::held:
      if (disposition.umbrella_issue != 0) {
        return fmt::format("eager's own bug: add it to issue {}", disposition.umbrella_issue);
      }
      if (disposition.reason == "eager") return "eager's own bug: file it with the general bug form";
      if (disposition.reason == "stale") {
        return "bring the known issues up to date: `parityd known sync` or `parityd known import FILE`";
      }
      if (disposition.reason == "untried") {
        return "wait: the running daemon tries it on the newest torch, or do it: `parityd recheck`";
      }
      if (disposition.reason == "fixed") return "none while the newest torch does not show it";
      if (disposition.reason == "patched") {
        return "none: `parityd check --explain` names what its program replaces of torch's own code";
      }
      if (disposition.reason == "random") {
        return "see whether more than the order of random numbers differs: `parityd show`";
      }
      if (disposition.reason == "rounding") return "give it a double run: fewer dtypes named in the program";
      if (disposition.reason == "private") return "write it with operators that users call, and import that";
      if (disposition.reason == "script") {
        return "wait: the running daemon runs its script; where that cannot tell, see why: `parityd show`";
      }
      if (disposition.reason == "tampered") {
        return "read its program: it may tell eager and compiled apart by itself; `parityd show` has what its script "
               "printed";
      }
      if (disposition.reason == "different") return "look at what the newest torch shows: `parityd show`";
      return "none until the reason it is held for changes";
  }
  return {};
}

NextStep next_step(const FindingRow& finding) {
  if (finding.merged_into) {
    return {fmt::format("none: see finding {}", *finding.merged_into),
            fmt::format("merged into finding {} by hand", *finding.merged_into)};
  }
  if (finding.status == "filed") return {"wait for the maintainers' answer", "its issue is filed"};
  if (finding.status == "known") return {"none: follow the known issue", "an issue about it was there before"};
  if (finding.status == "fixed") return {"none unless it comes back", "the newest torch does not show it any more"};
  if (finding.status == "regressed") return {"report it on its issue", "it was fixed, and it is back"};
  if (finding.status == "wontfix") return {"none", "the maintainers want it so"};
  if (finding.status == "false_positive") return {"none", "it is no bug"};
  return {finding.next_step, finding.why};
}

}  // namespace parityd::store
