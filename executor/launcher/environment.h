// The complete environment of a sandboxed Python and the folders it points to. By default nothing is inherited from
// ours. One thread.
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

/// "NAME=value" strings, without PARITYD_SANDBOX, which is known only once the sandbox is built.
[[nodiscard]] std::vector<std::string> make_environment(const Arguments& arguments);

/// The program's PATH: compilers are looked up in the operator's PATH first, then beside the interpreter.
[[nodiscard]] std::string search_path(const std::filesystem::path& python);

/// Creates scratch and the folders in it that the environment names, each as a real folder whatever an earlier program
/// left there, and returns them. Throws std::filesystem::filesystem_error.
[[nodiscard]] std::vector<std::filesystem::path> make_folders(const Arguments& arguments);

// Inductor keeps its precompiled header (150 MB, 15 to 50 s to build) below the temporary folder, whatever its cache
// variables say, with a lock beside it. One copy, made by a run that executes no program, serves every worker of a
// build. No program may change it, because its contents become part of the next program's compiled code.

struct HeaderPlan {
  /// Folders to mount on themselves, outermost first: a mount point can be neither moved nor replaced.
  std::vector<std::filesystem::path> anchors;
  /// Files of the cache, each with the path at which a worker sees it, read-only.
  std::vector<std::pair<std::filesystem::path, std::filesystem::path>> files;
  /// Used instead by the run that makes these files: the cache's folder and the path at which it is seen.
  std::pair<std::filesystem::path, std::filesystem::path> whole;
  /// All of the header's folders in scratch, for changing their owner.
  std::vector<std::filesystem::path> folders;
};

/// Recreates the header's folder in scratch. Without a private tree (`tree` false), links replace mounts. Throws
/// std::filesystem::filesystem_error.
[[nodiscard]] HeaderPlan prepare_header(const Arguments& arguments, bool tree);

}  // namespace parityd::launcher
