// Splits environments.sandbox ("full: user, mount; off: cgroup (EPERM)", made by executor::description) into parts.
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::store {

struct SandboxText {
  std::string level;  // full, reduced, none; empty: written before there were levels
  std::string on;     // "user, mount"; "no layer"
  std::string off;    // "user, mount (not part of level reduced)"; empty: nothing is off
};
[[nodiscard]] SandboxText sandbox_parts(std::string_view sandbox);

/// For one line in a terminal: "full; off: cgroup (EPERM)", "full, nothing off", "none". Text without a level is
/// unchanged; "unknown" if it is empty.
[[nodiscard]] std::string sandbox_summary(std::string_view sandbox);

/// For a draft, as Markdown prose: "Programs ran in a sandbox of level full; off: …". Empty if it is unknown.
[[nodiscard]] std::string sandbox_sentence(std::string_view sandbox);

}  // namespace parityd::store
