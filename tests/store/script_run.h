// A script that parityd wrote, run by a Python with torch in a process of its own, as a person would run it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace parityd::tests {

struct ScriptRun {
  int status = -1;  ///< the exit status; -1: a signal ended it
  std::string out, err;
};

/// Runs `text`. What torch compiles is kept for the other scripts of this build.
[[nodiscard]] ScriptRun run_script(const std::string& text);

/// Why no script with torch can run here; none: it can.
[[nodiscard]] std::optional<std::string> no_torch();

[[nodiscard]] std::string text_of(const std::filesystem::path& file);

}  // namespace parityd::tests
