// The part of a draft about a change that makes the finding vanish.
#include "store/findings/change_section.h"

#include "store/base/text.h"
#include "store/report/draft_lint.h"
#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/facts.h"
#include "tests/store/fixture.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

const std::filesystem::path kTemplate = std::filesystem::path(PARITYD_SOURCE_DIR) / "store" / "draft.mustache";
/// With lines that look like the form's headings and like ours.
constexpr const char* kProgram =
    "import torch\n\ntext = '''\n### Error logs\n#### A change that makes it vanish\nThis is the fix.\n'''\n\n\n"
    "class Model(torch.nn.Module):\n    pass\n";

store::DraftRow plain_draft() { return store::render_draft(facts_of(Kind::numerical, kProgram), kTemplate, 5); }

store::DraftRow draft_with(const store::FixTry& change, std::size_t limit = store::kLongestBody) {
  auto draft = plain_draft();
  draft.body = store::with_change_section(draft.body, change, limit);
  return draft;
}

/// The part's prose, on one line.
std::string prose_of(const store::DraftRow& draft) {
  const std::size_t start = draft.body.rfind("\n" + std::string(store::kChangeHeading) + "\n\n");
  REQUIRE(start != std::string::npos);
  const std::size_t text = draft.body.find("\n\n", start + 1) + 2;
  return draft.body.substr(text, draft.body.find('\n', text) - text);
}

std::vector<std::string> rules_of(const store::DraftRow& draft) {
  std::vector<std::string> rules;
  for (const auto& remark : store::lint_draft(draft, Kind::numerical)) rules.push_back(remark.rule);
  return rules;
}

}  // namespace

TEST_CASE("a draft has the accepted change of its finding, and no other") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  auto draft = plain_draft();
  draft.finding = store.findings.add(a_finding(program.id, "h"));
  store.drafts.set(draft);
  const auto has_section = [&] {
    return contains(store.drafts.find(draft.finding)->body, "makes it vanish. Written by a language model");
  };
  CHECK_FALSE(has_section());
  store.fixes.keep(a_failed_try(draft.finding));
  CHECK_FALSE(has_section());
  store.fixes.keep(a_try(draft.finding));
  CHECK(has_section());
  CHECK(store.findings.tampered(draft.finding).empty());
}

TEST_CASE("the part about a change says what was run and what was not, before the error logs") {
  const auto draft = draft_with(a_try(1));
  CAPTURE(draft.body);
  CHECK(prose_of(draft) ==
        "A change of 2 lines in `torch/_inductor/lowering.py:amax` makes it vanish. Written by a language model, not "
        "reviewed; torch `2.13.0`, CPU: 128 samples, 27 variants, 40 programs, none newly wrong; not run: CUDA. On "
        "torch 2.14.1, the newest, it vanishes with it, too.");
  CHECK(contains(draft.body, "```diff\n--- a/torch/_inductor/lowering.py\n"));
  CHECK(contains(draft.body, "passes with it:\n\n```python\nimport torch\n"));
  CHECK(contains(draft.body, "```\n</details>\n\n### Error logs\n"));
  CHECK_FALSE(contains(draft.body, "Because of the cast"));
  CHECK(rules_of(draft).empty());
  // What is in a program is no heading.
  const auto plain = plain_draft().body;
  const std::size_t own = draft.body.rfind(store::kChangeHeading);
  CHECK(draft.body.substr(0, own) == plain.substr(0, own));
  CHECK(own > draft.body.find("</details>"));
}

TEST_CASE("the part about a change names few places and only what has numbers") {
  auto change = a_try(1);
  change.changed_lines = 1;
  change.device = "cuda";
  change.newest = "";
  change.checks = {{.name = "variants", .ran = 1}, {.name = "fired", .ran = 9}};
  change.functions = {"a.py:f|", "b.py:`g`", "c.py:<module>", "d.py:h", "e.py:i", "f.py:j"};
  CHECK(prose_of(draft_with(change)) ==
        "A change of 1 line in `a.py:f\\|`, `b.py:'g'`, `c.py:<module>`, `d.py:h` and 2 more places makes it vanish. "
        "Written by a language model, not reviewed; torch `2.13.0`, CUDA: 1 variant, none newly wrong; not run: "
        "samples, programs, CPU.");
  change.functions.clear();
  change.checks.clear();
  CHECK(contains(prose_of(draft_with(change)), "in `torch/_inductor/lowering.py` makes it vanish."));
  CHECK(
      contains(prose_of(draft_with(change)), "CUDA: its own program only; not run: samples, variants, programs, CPU."));
}

TEST_CASE("hostile text of a change stays text") {
  auto change = a_try(1);
  change.diff = "```\n</details>\n### Versions\n@someone\n";
  change.test = "````\n#### A change that makes it vanish\n";
  change.newest = "@someone #12 <b> ```";
  change.torch = "2.13`<b>";
  const auto draft = draft_with(change);
  CAPTURE(draft.body);
  CHECK(contains(draft.body, "````diff\n```\n"));
  CHECK(contains(draft.body, "`````python\n````\n"));
  CHECK_FALSE(contains(prose_of(draft), "@s"));
  CHECK(contains(prose_of(draft), "torch `2.13'<b>`"));
  CHECK(rules_of(draft).empty());
}

TEST_CASE("a change that is too long for a draft is left out, its test first") {
  auto change = a_try(1);
  const auto sized = [&](std::size_t diff, std::size_t test) {
    change.diff = std::string(diff, 'd') + "\n";
    change.test = std::string(test, 't') + "\n";
    const auto draft = draft_with(change);
    CHECK(store::characters(draft.body) <= store::kLongestBody);
    CHECK(rules_of(draft).empty());
    return draft.body;
  };
  CHECK_FALSE(contains(sized(20'000, 20'000), "Left out"));
  const std::string without_test = sized(20'000, 70'000);
  CHECK(contains(without_test, "Left out because of the length limit: its regression test."));
  CHECK(contains(without_test, "```diff\nddd"));
  const std::string bare = sized(70'000, 10);
  CHECK(contains(bare, "Left out because of the length limit: the change itself."));
  CHECK_FALSE(contains(bare, "```diff"));
  change = a_try(1);
  const std::size_t enough = store::characters(draft_with(change).body);
  CHECK(store::characters(draft_with(change, enough).body) == enough);
  CHECK(contains(draft_with(change, enough - 1).body, "Left out"));
}

TEST_CASE("the linter refuses a change that is called a fix or correct, and one without its author") {
  const auto good = draft_with(a_try(1));
  const auto said = [&](const std::string& from, const std::string& to) {
    auto draft = good;
    const std::size_t at = draft.body.rfind(from);
    REQUIRE(at != std::string::npos);
    draft.body.replace(at, from.size(), to);
    return rules_of(draft);
  };
  for (const std::string claim : {"fixes it", "is a FIX", "is the correct one", "was Corrected", "corrects it"}) {
    CAPTURE(claim);
    CHECK(said("makes it vanish.", claim + ".") == std::vector<std::string>{"change"});
  }
  CHECK(said("makes it vanish.", "makes it vanish, in `fix.py`, by a prefix and a fixture.").empty());
  CHECK(said("    return x\n", "    return x  # the correct fix\n").empty());  // what the diff says is code
  CHECK(said("Written by a language model, not reviewed", "Reviewed") == std::vector<std::string>{"disclosure"});
}

TEST_CASE("a body without the form's headings has the part at its end") {
  const std::string body = store::with_change_section("mine\n", a_try(1), store::kLongestBody);
  CHECK(body.starts_with("mine\n\n#### A change that makes it vanish\n\nA change of 2 lines"));
  CHECK(body.ends_with("</details>\n"));
}
