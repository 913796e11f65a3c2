// The whole environment of a sandboxed Python and the folders it points to. Nothing of ours is inherited by default.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
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

// Inductor keeps its precompiled header (150 MB, 15 to 50 s to build) below the temporary folder whatever its cache
// variables say, with a lock beside it. One copy, made by a run that executes no program, serves every worker of a
// build; no program may change it, because what it says becomes part of the next program's compiled code.

struct HeaderPlan {
  /// Folders to mount on themselves, outermost first: a mount point can be neither moved nor replaced.
  std::vector<std::filesystem::path> anchors;
  /// Files of the cache, and where a worker sees them, read-only.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> files;
  /// Instead of all that, for the run that makes them: the cache's folder and where it is seen.
  std::pair<std::filesystem::path, std::filesystem::path> whole;
  /// All folders of it in scratch, for their owner.
  std::vector<std::filesystem::path> folders;
};

/// Makes the header's folder in scratch anew. Without a private tree (`tree` false) links take the place of mounts.
/// Throws std::filesystem::filesystem_error.
[[nodiscard]] HeaderPlan prepare_header(const Arguments& arguments, bool tree);

}  // namespace parityd::launcher
