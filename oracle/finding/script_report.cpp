#include "oracle/finding/script_report.h"

#include <array>
#include <utility>

namespace parityd::oracle {
namespace {

constexpr std::string_view kHeading = "script ";
constexpr std::array<std::pair<std::string_view, ScriptSays>, 3> kVerdicts{{
    {"shown", ScriptSays::shown},
    {"not shown", ScriptSays::not_shown},
    {"cannot tell", ScriptSays::cannot_tell},
}};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

std::string script_report(std::string_view script, std::string_view told) {
  return std::string(kHeading).append(script).append("\n").append(told);
}

std::string script_not_run(std::string_view why) { return std::string("cannot tell: ").append(why).append("\n"); }

ScriptReport read_script_report(std::string_view text) {
  ScriptReport report;
  const std::string_view heading = take_line(text);
  if (!heading.starts_with(kHeading)) return report;
  report.script = heading.substr(kHeading.size());
  const std::string_view verdict = take_line(text);
  for (const auto& [word, says] : kVerdicts) {
    if (verdict == word || verdict.starts_with(std::string(word) + ": ")) {
      report.says = says;
      report.why = verdict.size() > word.size() ? verdict.substr(word.size() + 2) : "";
    }
  }
  return report;
}

std::string in_words(const ScriptReport& report) {
  const std::string why = report.why.empty() ? "" : ": " + report.why;
  switch (report.says) {
    case ScriptSays::shown:
      return "its script shows it";
    case ScriptSays::not_shown:
      return "its script does not show it" + why;
    case ScriptSays::cannot_tell:
      break;
  }
  return "its script cannot tell" + why;
}

}  // namespace parityd::oracle
