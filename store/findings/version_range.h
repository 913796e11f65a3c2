// The torch versions on which a finding was tried: which show it, since when, and until when. Pure; any thread.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "store/findings/findings.h"
#include "store/findings/rechecks.h"

namespace parityd::store {

// The order of torch's versions: 2.9.1 before 2.13.0, a nightly or candidate before its release. Pure; any thread.

/// Of "2.13.0+cpu", "2.15.0.dev20260301", "2.14.0rc2". The part after a + is ignored, since it only tells how torch was
/// built.
[[nodiscard]] std::strong_ordering compare_torch(std::string_view left, std::string_view right);

struct TriedTorch {
  std::string torch;
  RecheckResult result = RecheckResult::still;  // never cannot
};

/// The last result on each torch, oldest torch first. The finding's own torch shows it; a torch on which its program
/// was consistent, as a sentinel's original, does not. Results on other devices are ignored.
[[nodiscard]] std::vector<TriedTorch> torches_tried(const FindingRow& finding, const std::vector<RecheckRow>& rechecks);

/// "NVIDIA H100 (torch 2.11.0) shows it, CPU (torch 2.13.0) does not show it": the last result on each other device.
/// Empty if none was tried.
[[nodiscard]] std::string devices_text(const std::vector<RecheckRow>& rechecks);

/// Empty fields: no torch that was tried is one.
struct VersionRange {
  std::string last_good;    // the newest before first_bad that does not show it
  std::string first_bad;    // the oldest since which all show it, up to the finding's own
  std::string first_fixed;  // the oldest after the finding's own since which none shows it, up to the newest
};
[[nodiscard]] VersionRange version_range(const FindingRow& finding, const std::vector<TriedTorch>& tried);

/// "2.12.0 does not show it, 2.13.0 shows it, 2.14.0 shows something else".
[[nodiscard]] std::string torches_text(const std::vector<TriedTorch>& tried);

/// "consistent on 2.12.0, inconsistent on 2.13.0", "shown since 2.6.0, the oldest tried"; includes the end if there is
/// one. Empty if no other torch was tried.
[[nodiscard]] std::string range_text(const FindingRow& finding, const std::vector<TriedTorch>& tried);

}  // namespace parityd::store
