#include "agent/fixing/fix_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "agent/fixing/bug_report.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

/// Operators that are named of those that reach a function.
constexpr std::size_t kMostReaching = 8;

/// "aten.cat" for "aten.cat.default".
std::string_view without_overload(std::string_view name) {
  return name.substr(0, name.find('.', std::min(name.find('.'), name.size() - 1) + 1));
}

/// "; also reached by aten.sub, aten.mul, … (23 operators)".
std::string reached_in_words(const FunctionSource& each) {
  std::vector<std::string> others;
  for (const auto& name : each.reached_by.operators) {
    const bool own = std::ranges::any_of(each.function.operators,
                                         [&](const std::string& one) { return without_overload(one) == name; });
    if (!own) others.push_back(name);
  }
  if (others.empty()) return "";
  const bool all = others.size() <= kMostReaching;
  others.resize(std::min(others.size(), kMostReaching));
  return fmt::format("; also reached by {}{}", fmt::join(others, ", "),
                     all ? "" : fmt::format(", … ({} operators)", each.reached_by.number));
}

std::string heading_of(const FunctionSource& each) {
  const FiredFunction& function = each.function;
  const std::string whom =
      function.operators.empty() ? "" : fmt::format(" for {}", fmt::join(function.operators, ", "));
  const std::string lines =
      function.own_lines.empty() ? "" : fmt::format("; other programs do not run lines {}", function.own_lines);
  return fmt::format("{}, lines {} to {}, called {} times{}{}{}", function.place(), function.first_line,
                     function.last_line, function.calls, whom, lines, reached_in_words(each));
}

bool is_short(const FiredFunction& function) { return function.last_line - function.first_line < kShortFunction; }

std::string sources_of(const std::vector<FunctionSource>& functions) {
  std::string text;
  std::vector<std::string> left_out;
  std::size_t shown = 0;
  for (const auto& each : functions) {
    const bool counts = !is_short(each.function);
    if (each.text.empty() || (counts && shown == kMostShown) || text.size() + each.text.size() > kLongestSources) {
      left_out.push_back(heading_of(each));
      continue;
    }
    if (counts) ++shown;
    text += fmt::format("### {}\n\n{}\n", heading_of(each), store::fenced(each.text, "python"));
  }
  if (!left_out.empty()) text += fmt::format("Also called:\n\n- {}\n\n", fmt::join(left_out, "\n- "));
  return text;
}

std::string relation_in_words(const SiblingFunction& sibling) {
  switch (sibling.relation) {
    case Relation::right:
      return fmt::format("for {}, in whose place the program does not show the bug", sibling.to);
    case Relation::same:
      return fmt::format("for {}, too", sibling.to);
    case Relation::alike:
      break;
  }
  return fmt::format("it resembles {}", sibling.to);
}

std::string siblings_of(const std::vector<SiblingSource>& siblings) {
  std::string text;
  for (const auto& [function, source] : siblings) {
    if (source.empty() || text.size() + source.size() > kLongestSiblings) continue;
    text += fmt::format("### {}:{}, lines {} to {}: {}\n\n{}\n", function.file, function.name, function.first_line,
                        function.last_line, relation_in_words(function), store::fenced(source, "python"));
  }
  return text;
}

std::string documentation_of(const std::vector<Documented>& documented) {
  std::string text;
  for (const auto& each : documented) {
    const std::string schemas = each.schemas.empty() ? "" : fmt::format("{}\n", fmt::join(each.schemas, "\n"));
    const std::string gap = schemas.empty() || each.text.empty() ? "" : "\n";
    const std::string told = schemas + gap + each.text;
    if (text.size() + told.size() > kLongestDocumented) continue;
    text += fmt::format("### {}\n\n{}\n", each.name, store::fenced(told, "text"));
  }
  return text;
}

/// Nothing if there is no content.
std::string section(std::string_view heading, const std::string& content) {
  return content.empty() ? "" : fmt::format("## {}\n\n{}{}", heading, content, content.ends_with("\n\n") ? "" : "\n\n");
}

}  // namespace

std::string fix_question(const FixQuestion& question) {
  const auto report = store::shortened(bug_report(question.draft), kLongestDraft);
  const auto graphs = store::shortened(question.graphs, kLongestGraphs);
  std::string text = fmt::format("torch {}.\n\n", question.torch);
  text += section("The bug, as it would be reported", report);
  text += section("Where the mistake is", question.whereabouts);
  text += section("Which variants show it, and which, after \"not\", agree with eager", question.extent);
  text += section("Signature", question.signature);
  text += section("The graphs that Inductor gets", graphs.empty() ? "" : store::fenced(graphs, "python"));
  text += section("What torch documents, which is what eager mode does", documentation_of(question.documented));
  text += section("Functions of the compiler that did something for this program, the likeliest first",
                  sources_of(question.functions));
  text += section("Functions beside them that this program does not run", siblings_of(question.siblings));
  return text + "Answer with your change.\n";
}

std::string fix_again(std::string_view failure) {
  return fmt::format(
      "Your change failed this check:\n\n{}\n\nAnswer once more in the same form, with all edits against the installed "
      "files, or with NO PATCH.\n",
      failure);
}

}  // namespace parityd::agent
