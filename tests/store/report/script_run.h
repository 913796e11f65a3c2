// A script that parityd wrote, run by a Python with torch in a process of its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace parityd::tests {

struct ScriptRun {
  int status = -1;  ///< the exit status; -1: a signal ended it
  std::string out, err;
};

/// Runs `text` in a fork of a Python that has imported torch, once for all scripts of this process. What torch compiles
/// is kept for the other scripts of this build.
[[nodiscard]] ScriptRun run_script(const std::string& text);

/// The same by `python script.py`.
[[nodiscard]] ScriptRun run_script_as_people_do(const std::string& text);

/// Why no script with torch can run here; none: it can.
[[nodiscard]] std::optional<std::string> no_torch();

}  // namespace parityd::tests
