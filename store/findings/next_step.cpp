#include "store/findings/next_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parityd::store {

namespace {

/// What a person does about a finding that is held for a reason; the others wait until their reason changes.
constexpr auto kHeldSteps = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"eager", "eager's own bug: file it with the general bug form"},
    {"stale", "bring the known issues up to date: `parityd known sync` or `parityd known import FILE`"},
    {"untried", "wait: the running daemon tries it on the newest torch, or do it: `parityd recheck`"},
    {"fixed", "none while the newest torch does not show it"},
    {"patched", "none: `parityd check --explain` names what its program replaces of torch's own code"},
    {"random", "see whether more than the order of random numbers differs: `parityd show`"},
    {"rounding", "give it a double run: fewer dtypes named in the program"},
    {"private", "write it with operators that users call, and import that"},
    {"script", "wait: the running daemon runs its script; where that cannot tell, see why: `parityd show`"},
    {"tampered",
     "read its program: it may tell eager and compiled apart by itself; `parityd show` has what its script printed"},
    {"different", "look at what the newest torch shows: `parityd show`"},
});

std::string held_step(const oracle::Disposition& disposition) {
  if (disposition.umbrella_issue != 0)
    return fmt::format("eager's own bug: add it to issue {}", disposition.umbrella_issue);
  const auto* const row = std::ranges::find(kHeldSteps, disposition.reason, &decltype(kHeldSteps)::value_type::first);
  return row != kHeldSteps.end() ? std::string(row->second) : "none until the reason it is held for changes";
}

}  // namespace

std::string next_step_of(const oracle::Disposition& disposition) {
  switch (disposition.klass) {
    case oracle::Disposition::Class::ready:
      return "read the draft, check it yourself, file it";
    case oracle::Disposition::Class::umbrella:
      return fmt::format("add it to issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::known:
      return fmt::format("none: follow issue {}", disposition.umbrella_issue);
    case oracle::Disposition::Class::held:
      return held_step(disposition);
  }
  return {};
}

NextStep next_step(const FindingRow& finding) {
  if (finding.merged_into) {
    return {fmt::format("none: see finding {}", *finding.merged_into),
            fmt::format("merged into finding {} by hand", *finding.merged_into)};
  }
  switch (finding.status) {
    case FindingStatus::fresh:
      break;
    case FindingStatus::filed:
      return {"wait for the maintainers' answer", "its issue is filed"};
    case FindingStatus::known:
      return {"none: follow the known issue", "an issue about it was there before"};
    case FindingStatus::fixed:
      return {"none unless it comes back", "the newest torch does not show it any more"};
    case FindingStatus::regressed:
      return {"report it on its issue", "it was fixed, and it is back"};
    case FindingStatus::wontfix:
      return {"none", "the maintainers want it so"};
    case FindingStatus::false_positive:
      return {"none", "it is no bug"};
  }
  return {finding.next_step, finding.why};
}

}  // namespace parityd::store
