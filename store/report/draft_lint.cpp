#include "store/report/draft_lint.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "store/base/text.h"
#include "store/findings/change_section.h"
#include "store/report/chance.h"
#include "store/report/same_verdict.h"
#include "store/report/short_repro.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::string_view kProgramEnd = "# ---- The program ends here";  // as written by render_repro()
constexpr std::array<std::string_view, 3> kHeadings{"### 🐛 Describe the bug", "### Error logs", "### Versions"};
/// Calls whose indices show the order of equal elements, unless the operands are exact.
constexpr std::array<std::string_view, 8> kIndexCalls{"argmax(", "argmin(",   "argsort(", "sort(",
                                                      "topk(",   "kthvalue(", "median(",  "mode("};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The program and the harness of a reproducer.
std::pair<std::string_view, std::string_view> parts_of(std::string_view repro) {
  const std::size_t end = std::min(repro.find(kProgramEnd), repro.size());
  return {repro.substr(0, end), repro.substr(end)};
}

/// The first fenced Python block: what a maintainer runs.
std::string_view shown_repro(std::string_view body) {
  const std::size_t tag = body.find("```python\n");
  if (tag == std::string_view::npos) return {};
  const std::size_t before = body.find_last_of('\n', tag);
  const std::size_t line = before == std::string_view::npos ? 0 : before + 1;
  const std::string fence = "\n" + std::string(body.substr(line, tag + 3 - line)) + "\n";
  const std::size_t start = body.find('\n', tag) + 1;
  return body.substr(start, body.find(fence, start) - start);
}

/// Whether a row of the table of numbers is about a leaf of 64-bit integers.
bool reports_integers(std::string_view body) { return has(body, " | int64 | "); }

class Remarks {
 public:
  void unless(bool good, std::string_view rule, std::string text) {
    if (!good) found_.push_back({std::string(rule), std::move(text)});
  }
  [[nodiscard]] std::vector<LintRemark> release() { return std::move(found_); }

 private:
  std::vector<LintRemark> found_;
};

void lint_form(const DraftRow& draft, Remarks& remarks) {
  const std::string_view body = draft.body;
  std::size_t at = 0;
  for (const std::string_view heading : kHeadings) {
    const std::size_t found = body.find(heading, at);
    remarks.unless(found != std::string_view::npos, "form",
                   fmt::format("the heading \"{}\" of PyTorch's issue form is missing or out of order", heading));
    at = found == std::string_view::npos ? at : found;
  }
  remarks.unless(characters(body) <= kLongestBody, "length",
                 fmt::format("{} characters; GitHub accepts at most {}", characters(body), kLongestBody));
  remarks.unless(has(body, draft.repro), "form", "the complete script is missing or cut");
  remarks.unless(has(body, "What I checked myself"), "checked",
                 "there is no section for what the person who files it checked");
  const std::size_t details = body.find("<details>");
  const std::size_t disclosed = body.find("AI-assisted");
  remarks.unless(details < disclosed && disclosed < body.find("</details>"), "disclosure",
                 "generated text is not disclosed in its own section");
}

/// The lines of the part about a change, without diff and test; empty: there is none.
std::vector<std::string> change_lines(std::string_view body) {
  const auto lines = lines_outside_fences(body);
  std::vector<std::string> found;
  for (auto line = std::ranges::find(lines, kChangeHeading, &Line::text); line != lines.end(); ++line) {
    if (line->text.starts_with("### ")) break;
    found.emplace_back(line->text);
  }
  return found;
}

void lint_change(const DraftRow& draft, Remarks& remarks) {
  static const RE2 code("`[^`]*`");
  static const RE2 claim(R"((?i)\b(fix(?:e[ds]|ing)?|correct(?:s|ed|ing|ly|ion|ness)?)\b)");
  const auto lines = change_lines(draft.body);
  bool disclosed = lines.empty();
  for (std::string line : lines) {
    disclosed = disclosed || has(line, kChangeAuthor);
    RE2::GlobalReplace(&line, code, "");
    std::string word;
    remarks.unless(
        !RE2::PartialMatch(line, claim, &word), "change",
        fmt::format("the change is called \"{}\", which nobody has reviewed: say that the bug vanishes", word));
  }
  remarks.unless(disclosed, "disclosure", "the change is not said to be written by a language model and not reviewed");
}

void lint_repro(const DraftRow& draft, Kind kind, Remarks& remarks) {
  const auto [program, harness] = parts_of(draft.repro);
  const std::string_view shown = shown_repro(draft.body);
  const std::size_t lines = code_lines(shown);
  remarks.unless(lines > 0, "form", "there is no reproducer");
  remarks.unless(lines <= kLongestProgram, "length",
                 fmt::format("the reproducer has {} lines; maintainers read {}", lines, kLongestProgram));
  const auto seeded = [](std::string_view text) { return has(text, "fallback_random") && has(text, "manual_seed"); };
  remarks.unless(
      (seeded(shown) || !may_draw(program)) && seeded(harness), "random",
      "eager and compiled do not draw the same random numbers: set fallback_random and a seed before each run");
  if (!oracle::values_differ(kind) || has(harness, "repro_shown")) return;  // draws compare numbers of their own
  remarks.unless(!has(harness, "rtol") && !has(harness, "atol"), "tolerances",
                 "values are compared with tolerances that are not PyTorch's own");
  remarks.unless(has(harness, "double") && has(harness, "same("), "reference",
                 "values are not compared with an fp64 run by torch._dynamo.utils.same");
  if (kind == Kind::numerical) {
    remarks.unless(
        has(draft.body, kSameDiffers) || has(draft.body, kSameGap), "same",
        "torch._dynamo.utils.same does not return False, and the draft does not say what hides the difference from it");
  }
  const bool indices = std::any_of(kIndexCalls.begin(), kIndexCalls.end(),
                                   [&text = program](std::string_view call) { return has(text, call); });
  remarks.unless(!indices || !reports_integers(draft.body), "indices",
                 "integers returned by an index-returning operator differ: PyTorch asks not to compare those; explain "
                 "why they are defined here, or compare the selected values");
}

}  // namespace

std::vector<LintRemark> lint_draft(const DraftRow& draft, oracle::Kind kind) {
  Remarks remarks;
  lint_form(draft, remarks);
  lint_repro(draft, kind, remarks);
  lint_change(draft, remarks);
  return remarks.release();
}

}  // namespace parityd::store
