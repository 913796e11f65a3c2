#include "agent/fixing/fix_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parityd::agent {
namespace {

std::string heading_of(const FiredFunction& function) {
  const std::string whom =
      function.operators.empty() ? "" : fmt::format(" for {}", fmt::join(function.operators, ", "));
  return fmt::format("{}, lines {} to {}, called {} times{}", function.place(), function.first_line, function.last_line,
                     function.calls, whom);
}

std::string sources_of(const std::vector<FunctionSource>& functions) {
  std::string text;
  std::vector<std::string> left_out;
  std::size_t shown = 0;
  for (const auto& each : functions) {
    if (each.text.empty() || shown == kMostShown || text.size() + each.text.size() > kLongestSources) {
      left_out.push_back(heading_of(each.function));
      continue;
    }
    ++shown;
    text += fmt::format("### {}\n\n```python\n{}```\n\n", heading_of(each.function), each.text);
  }
  if (!left_out.empty()) text += fmt::format("Also called:\n\n- {}\n\n", fmt::join(left_out, "\n- "));
  return text;
}

}  // namespace

std::string fix_question(const FixQuestion& question) {
  std::string text =
      fmt::format("torch {}.\n\n## The bug, as it would be reported\n\n{}\n\n", question.torch, question.draft);
  text += fmt::format("## Signature\n\n{}\n\n", question.signature);
  if (!question.extent.empty()) text += fmt::format("## Which variants show it\n\n{}\n\n", question.extent);
  return text + "## Functions of the compiler that did something for this program, the likeliest first\n\n" +
         sources_of(question.functions) + "Answer with your change.\n";
}

std::string fix_again(std::string_view failure) {
  return fmt::format(
      "Your change failed this check:\n\n{}\n\nAnswer once more in the same form, with all edits against the installed "
      "files, or with NO PATCH.\n",
      failure);
}

}  // namespace parityd::agent
