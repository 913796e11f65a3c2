// The whole environment of a sandboxed Python and the folders it points to. Nothing of ours is inherited by default.
#pragma once

#include <string>
#include <vector>

#include "executor/launcher/arguments.h"

namespace parityd::launcher {

inline constexpr int kInputDescriptor = 3;   // PARITYD_IN
inline constexpr int kOutputDescriptor = 4;  // PARITYD_OUT
inline constexpr const char* kUser = "parityd";

/// "NAME=value" strings, without PARITYD_SANDBOX, which is known only when the sandbox stands.
[[nodiscard]] std::vector<std::string> make_environment(const Arguments& arguments);

/// The program's PATH: compilers are found where the operator's PATH has them, then beside the interpreter.
[[nodiscard]] std::string search_path(const std::filesystem::path& python);

/// Makes scratch and the folders in it that the environment names, each a real folder whatever an earlier program left
/// there, and returns them. Throws std::filesystem::filesystem_error.
[[nodiscard]] std::vector<std::filesystem::path> make_folders(const Arguments& arguments);

}  // namespace parityd::launcher
