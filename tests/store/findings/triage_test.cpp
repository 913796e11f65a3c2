// What people decide, the linter of drafts, the comment for an umbrella.
#include "store/base/text.h"
#include "store/report/draft.h"
#include "store/report/draft_lint.h"
#include "store/report/short_repro.h"
#include "tests/catch.h"
#include "tests/store/facts.h"
#include "tests/store/fixture.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

const std::filesystem::path kTemplate = std::filesystem::path(PARITYD_SOURCE_DIR) / "store" / "draft.mustache";
constexpr const char* kProgram = "import torch\n\n\nclass Model(torch.nn.Module):\n    pass\n";
constexpr const char* kIssue = "https://github.com/pytorch/pytorch/issues/123456";

store::DraftRow draft_of(Kind kind, const std::string& program = kProgram) {
  return store::render_draft(facts_of(kind, program), kTemplate, 5);
}

std::string rules(const store::DraftRow& draft, Kind kind) {
  std::string text;
  for (const auto& remark : store::lint_draft(draft, kind)) text += remark.rule + " ";
  return text;
}

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

}  // namespace

TEST_CASE("drafts of every kind follow PyTorch's rules") {
  for (const Kind kind : {Kind::behaviour, Kind::missing_check, Kind::numerical, Kind::metadata, Kind::mutation,
                          Kind::gradient, Kind::crash, Kind::hang}) {
    CAPTURE(oracle::name(kind));
    CHECK(rules(draft_of(kind), kind).empty());
  }
}

TEST_CASE("the linter names each rule that a draft breaks") {
  const auto good = draft_of(Kind::numerical);
  const auto broken = [&](const std::string& part) {
    auto draft = good;
    draft.body = without(draft.body, part);
    draft.repro = without(draft.repro, part);
    return rules(draft, Kind::numerical);
  };
  CHECK(broken("What I checked myself") == "checked ");
  CHECK(broken("AI-assisted") == "disclosure ");
  CHECK(broken("### Versions") == "form ");
  CHECK(broken("fallback_random") == "random ");
  CHECK(broken("manual_seed") == "random ");
  CHECK(broken("same(") == "reference ");
  CHECK(broken("**False**") == "same ");
  auto draft = good;
  draft.repro = good.repro + "# rtol=1\n";
  draft.body += draft.repro;
  CHECK(rules(draft, Kind::numerical) == "tolerances ");
  CHECK(rules(draft, Kind::behaviour).empty());
  draft = good;
  draft.repro += "more\n";
  CHECK(rules(draft, Kind::numerical) == "form ");
  draft = good;
  draft.body += std::string(store::kLongestBody, 'x');
  CHECK(rules(draft, Kind::numerical) == "length ");

  std::string program = kProgram;
  const auto lines = [&] { return store::code_lines(store::short_repro(facts_of(Kind::numerical, program)).text); };
  while (lines() < store::kLongestProgram) program += "    # a remark\n\n    a = 1\n";
  CHECK(rules(draft_of(Kind::numerical, program), Kind::numerical).empty());
  program += "    b = 1\n";
  CHECK(rules(draft_of(Kind::numerical, program), Kind::numerical) == "length ");
  CHECK(contains(draft_of(Kind::numerical, program).body,
                 "The reproducer has 26 lines; reduction found no smaller program"));

  auto facts = facts_of(Kind::numerical, std::string(kProgram) + "    a = torch.argmax(1)\n");
  for (auto& measurement : facts.rounds.front().evidence.measurements) {
    for (auto& leaf : measurement.leaves) leaf.dtype = oracle::Dtype::int64;
  }
  CHECK(rules(store::render_draft(facts, kTemplate, 5), Kind::numerical) == "indices ");
}

TEST_CASE("decisions are stored with author and time, and filed needs an issue and what was checked") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto id = store.findings.add(a_finding(program.id, "h"));
  auto draft = draft_of(Kind::numerical);
  draft.finding = id;
  store.drafts.set(draft);
  const auto decide = [&](const std::string& status, const std::string& issue, const std::string& checked) {
    return store.triage
        .decide({.finding = id, .status = status, .issue = issue, .checked = checked, .who = "me", .at = 7})
        .value_or("");
  };
  CHECK(contains(decide("done", "", ""), "\"done\" is not a status"));
  CHECK(contains(decide("known", "", ""), "known needs --issue"));
  CHECK(contains(decide("known", "https://example.com/1", ""), "is not an issue"));
  CHECK(contains(decide("filed", kIssue, ""), "filed needs --checked"));
  CHECK(contains(decide("filed", kIssue, " \n"), "filed needs --checked"));
  CHECK(store.triage.decide({.finding = 99, .status = "new"}).value() == "there is no finding 99");
  CHECK(store.findings.find(id)->status == store::FindingStatus::fresh);
  CHECK(store.triage.of(id).empty());

  CHECK(decide("new", "", "It fails on my machine too, see #1 <!-- x").empty());
  CHECK(contains(store.drafts.find(id)->body, "> It fails on my machine too"));
  CHECK_FALSE(contains(store.drafts.find(id)->body, "see #1 <!--"));
  CHECK_FALSE(contains(store.drafts.find(id)->body, "> _…_"));
  CHECK(decide("filed", kIssue, "").empty());  // said before
  CHECK(store.findings.find(id)->status == store::FindingStatus::filed);
  const auto decisions = store.triage.of(id);
  REQUIRE(decisions.size() == 2);
  CHECK(decisions[1].issue == kIssue);
  CHECK(decisions[1].who == "me");
  CHECK(decisions[1].at == 7);
}

TEST_CASE("an umbrella's comment has one row and one program per case, a disclosure, and fits GitHub's limit") {
  std::vector<store::FindingRow> findings{a_finding(1, "0"), a_finding(1, "1"), a_finding(1, "2")};
  findings[1].explanation = "a | b @someone #12 ```";
  const std::string text = store::umbrella_comment(findings);
  CAPTURE(text);
  CHECK(contains(text, "What I checked myself"));
  CHECK(contains(text, "AI-assisted"));
  CHECK(contains(text, "| 3 | "));
  CHECK(contains(text, "Case 3:"));
  CHECK(contains(text, "3 more cases"));
  CHECK_FALSE(contains(text, "| a | b"));
  findings.assign(40, findings.front());
  for (auto& finding : findings) finding.reduced = std::string(4'000, 'x');
  const std::string cut = store::umbrella_comment(findings);
  CHECK(store::characters(cut) <= store::kLongestBody);
  CHECK(contains(cut, " more cases are left out because of the length limit."));
}
