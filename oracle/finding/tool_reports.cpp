#include "oracle/finding/tool_reports.h"

#include <algorithm>
#include <utility>

#include "oracle/rules/message.h"

namespace parityd::oracle {
namespace {

constexpr std::string_view kReportMark = "=========";

std::string_view before(std::string_view text, std::string_view end) { return text.substr(0, text.find(end)); }

std::string_view without_arguments(std::string_view kernel) {
  for (auto at = kernel.find('('); at != std::string_view::npos; at = kernel.find('(', at + 1)) {
    if (!kernel.substr(at).starts_with("(anonymous namespace)")) return kernel.substr(0, at);
  }
  return kernel;
}

/// "triton_poi_fused_add_0+0x90 in file.py:12"; the offset and the place may be missing, and arguments may follow.
void read_place(std::string_view text, SanitizerFact& fact) {
  const auto place = text.rfind(" in ");
  if (place != std::string_view::npos && text.find(':', place) != std::string_view::npos) {
    const std::string_view file = trimmed(text.substr(place + 4));
    const auto slash = file.rfind('/');
    fact.where = slash == std::string_view::npos ? file : file.substr(slash + 1);
    text = text.substr(0, place);
  }
  fact.kernel = trimmed(without_arguments(before(text, "+0x")));
}

/// "Error: Race reported between Write access at KERNEL+0x1 … and Read access at KERNEL+0x2 … [8 hazards]"; the part
/// after "and" may be on the next line.
std::optional<SanitizerFact> race_of(std::string_view text) {
  constexpr std::string_view kRace = "Race reported between ";
  const auto race = text.find(kRace);
  if (race == std::string_view::npos) return std::nullopt;
  const std::string_view told = text.substr(race + kRace.size());
  const std::string_view first = before(told, " access at ");
  const auto second_begin = told.find(" and ");
  const std::string_view second =
      second_begin == std::string_view::npos ? "" : before(told.substr(second_begin + 5), " access");
  SanitizerFact fact;
  fact.what = "Race between " + lowered(first) + " and " + lowered(second);
  if (first.size() < told.size()) read_place(before(told.substr(first.size() + 11), " and "), fact);
  return fact;
}

/// The fact that a report's first line begins; nullopt if the line belongs to another report.
std::optional<SanitizerFact> begun_by(std::string_view text) {
  if (auto race = race_of(text)) return race;
  constexpr std::array<std::string_view, 5> kBegins{"Invalid ", "Misaligned ", "Uninitialized ", "Out-of-range ",
                                                    "Program hit "};
  if (std::ranges::none_of(kBegins, [&](std::string_view begin) { return text.starts_with(begin); })) {
    return std::nullopt;
  }
  SanitizerFact fact;
  fact.what = before(text, " bytes");
  return fact;
}

void add(SanitizerReport& report, SanitizerFact fact) {
  const auto same = std::ranges::find_if(report.facts, [&](const SanitizerFact& known) {
    return known.what == fact.what && known.kernel == fact.kernel && known.where == fact.where;
  });
  if (same == report.facts.end()) {
    fact.reports = 1;
    report.facts.push_back(std::move(fact));
  } else {
    ++same->reports;
  }
}

constexpr std::string_view kFound = "found: ";
constexpr std::string_view kReproduce = "reproduce: ";
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

SanitizerReport read_sanitizer_report(std::string_view output) {
  SanitizerReport report;
  std::optional<SanitizerFact> open;
  const auto close = [&] {
    if (open) {
      add(report, std::move(*open));
      open.reset();
    }
  };
  while (!output.empty()) {
    const std::string_view line = before(output, "\n");
    output.remove_prefix(std::min(line.size() + 1, output.size()));
    if (!line.starts_with(kReportMark)) {
      continue;  // the program's own
    }
    const std::string_view text = trimmed(line.substr(kReportMark.size()));
    if (auto begun = begun_by(text)) {
      close();
      open = std::move(begun);
    } else if (open && open->what.ends_with(" and ") && text.starts_with("and ")) {
      open->what += lowered(before(text.substr(4), " access"));
    } else if (open && open->kernel.empty() && text.starts_with("at ")) {
      read_place(text.substr(3), *open);
    } else if (text.starts_with("ERROR SUMMARY") || text.starts_with("RACECHECK SUMMARY")) {
      close();
      report.ended = true;
    }
  }
  close();
  return report;
}

bool is_compiled_kernel(std::string_view kernel) {
  return kernel.starts_with("triton_") || kernel.starts_with("cutlass_fused_") || kernel.starts_with("cpp_fused_");
}

std::optional<Side> out_of_bounds(const SanitizerReport& report) {
  std::optional<Side> side;
  for (const auto& fact : report.facts) {
    if (fact.what.starts_with("Invalid __") || fact.what.starts_with("Out-of-range ")) {
      side = is_compiled_kernel(fact.kernel) ? Side::compiled : side.value_or(Side::eager);
    }
    if (side == Side::compiled) break;
  }
  return side;
}

std::string in_words(std::string_view tool, const SanitizerReport& report) {
  const bool compiled = std::ranges::any_of(report.facts, &is_compiled_kernel, &SanitizerFact::kernel);
  std::string words;
  for (const auto& fact : report.facts) {
    if (is_compiled_kernel(fact.kernel) != compiled) continue;
    words += words.empty() ? std::string(tool) + ": " : "; ";
    words += fact.what + (fact.kernel.empty() ? "" : " in " + fact.kernel) +
             (fact.where.empty() ? "" : " at " + fact.where) +
             (fact.reports > 1 ? ", reported " + std::to_string(fact.reports) + " times" : "");
  }
  return words;
}

std::optional<BisectReport> read_bisect_report(std::string_view text) {
  BisectReport report;
  while (!text.empty() && report.variables.empty()) {  // text after them may be the program's
    const std::string_view line = take_line(text);
    if (line.starts_with(kFound)) report.found = line.substr(kFound.size());
    if (line.starts_with(kReproduce)) report.variables = line.substr(kReproduce.size());
  }
  if (report.found.empty() || !report.variables.starts_with("TORCH_BISECT_")) return std::nullopt;
  return report;
}

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
      return "its script reproduces it";
    case ScriptSays::not_shown:
      return "its script does not reproduce it" + why;
    case ScriptSays::cannot_tell:
      break;
  }
  return "its script cannot tell" + why;
}

}  // namespace parityd::oracle
