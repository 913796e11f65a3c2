// The whole environment of a sandboxed Python and the folders it points to. Nothing of ours is inherited by default.
#pragma once

#include <string>
#include <vector>

#include "executor/launcher/arguments.h"

namespace parityd::launcher {

inline constexpr int kInputDescriptor = 3;   // PARITYD_IN
inline constexpr int kOutputDescriptor = 4;  // PARITYD_OUT

/// "NAME=value" strings, without PARITYD_SANDBOX, which is known only when the sandbox stands.
[[nodiscard]] std::vector<std::string> make_environment(const Arguments& arguments);

/// Makes home, temporary and cache folders in scratch, and the link that lets workers of one build share Inductor's
/// precompiled header. Throws std::filesystem::filesystem_error.
void make_folders(const Arguments& arguments);

}  // namespace parityd::launcher
