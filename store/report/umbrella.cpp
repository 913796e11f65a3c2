#include "store/report/umbrella.h"

#include <fmt/format.h>

#include "store/base/text.h"
#include "store/report/draft_lint.h"

namespace parityd::store {
namespace {

constexpr std::size_t kExplanationLimit = 200;
constexpr std::size_t kRowTitleLimit = 120;

std::string row_of(const FindingRow& finding, std::size_t number) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", number,
                     inline_code(shortened(clean_line(finding.title), kRowTitleLimit)),
                     inline_code(shortened(clean_line(finding.explanation), kExplanationLimit)),
                     inline_code(finding.device), inline_code(finding.torch));
}

std::string program_of(const FindingRow& finding, std::size_t number) {
  return fmt::format("\nCase {}:\n\n{}", number, fenced(clean_text(finding.reduced), "python"));
}

}  // namespace

std::string umbrella_comment(const std::vector<FindingRow>& findings) {
  constexpr std::size_t kRoom = 1'000;  // for the sentences around the cases
  std::string table = "| case | what | how | device | torch |\n| --- | --- | --- | --- | --- |\n";
  std::string programs;
  std::size_t told = 0;
  for (const FindingRow& finding : findings) {
    const std::string row = row_of(finding, told + 1);
    const std::string program = program_of(finding, told + 1);
    if (characters(table + row + programs + program) + kRoom > kLongestBody) break;
    table += row;
    programs += program;
    ++told;
  }
  std::string text = "**What I checked myself** (to be filled in by the person who posts this)\n\n> _…_\n\n";
  text += fmt::format("{} more {}; each was confirmed in fresh processes, eager and compiled apart:\n\n{}", told,
                      told == 1 ? "case" : "cases", table);
  if (told < findings.size()) text += fmt::format("\nLeft out for length: {} more.\n", findings.size() - told);
  text +=
      "\n<details>\n<summary>AI-assisted: the programs</summary>\n\nWritten by a generator (a language model, or "
      "mutations of its programs) and found by parityd, a differential tester of torch.compile.\n";
  return text + programs + "\n</details>\n";
}

}  // namespace parityd::store
