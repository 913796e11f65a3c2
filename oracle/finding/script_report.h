// What a run of a finding's stand-alone script came to, by a plain interpreter. The worker's inspect_script.py makes
// the text; it is kept under the script's hash, so that a changed script has not been run. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::oracle {

inline constexpr std::string_view kScriptTool = "script";  // as the worker calls it

enum class ScriptSays { shown, not_shown, cannot_tell };

struct ScriptReport {
  ScriptSays says = ScriptSays::cannot_tell;
  std::string why;     // of what is not shown, and of what cannot tell
  std::string script;  // its hash
};

/// The text to keep of what the tool told, whose first line is its verdict.
[[nodiscard]] std::string script_report(std::string_view script, std::string_view told);
/// What the tool would tell of a script that it could not run.
[[nodiscard]] std::string script_not_run(std::string_view why);

/// Of a text to keep. One that is no such text cannot tell.
[[nodiscard]] ScriptReport read_script_report(std::string_view text);

/// "its script shows it", "its script does not show it: …", "its script cannot tell: …".
[[nodiscard]] std::string in_words(const ScriptReport& report);

}  // namespace parityd::oracle
