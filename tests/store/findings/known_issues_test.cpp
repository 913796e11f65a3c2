// The shipped file of known issues, its reader, the table and what changes it.
#include <fstream>
#include <iterator>
#include <set>

#include "store/findings/known_issues.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using Source = store::KnownSource;

namespace {

constexpr store::Millis kDay = 86'400'000;

std::string shipped_text() { return read_file(PARITYD_SOURCE_DIR "/store/known_issues.jsonl"); }

store::KnownIssue an_issue(int number, const std::string& name) {
  store::KnownIssue issue;
  issue.number = number;
  issue.title = name + " is wrong";
  issue.state = "open";
  issue.operators = {name};
  issue.trait = "upsample_index";
  return issue;
}

store::KnownQuery a_query(const std::string& name) {
  store::KnownQuery query;
  query.operators = {"aten." + name + ".default", "aten.view.default"};
  query.device = "cpu";
  return query;
}

}  // namespace

TEST_CASE("the shipped known issues are valid, many, dated and include the umbrellas") {
  const auto file = store::parse_known_issues(shipped_text());
  REQUIRE(file);
  CHECK(file->issues.size() >= 300);
  CHECK(file->as_of);
  std::set<int> numbers;
  for (const auto& issue : file->issues) {
    CAPTURE(issue.number);
    numbers.insert(issue.number);
    CHECK_FALSE(issue.title.empty());
    CHECK_FALSE(issue.trait.empty());
    CHECK(issue.number > 30'000);  // torch.compile is younger than those
    const auto again = store::parse_known_issues(store::known_issue_line(issue));
    REQUIRE(again);
    CHECK(store::known_issue_line(again->issues.front()) == store::known_issue_line(issue));
  }
  for (const int umbrella : {197554, 198155, 195547, 189799}) CHECK(numbers.contains(umbrella));
}

TEST_CASE("an invalid file of known issues is refused with the line of each mistake") {
  const std::string good = store::known_issue_line(an_issue(7, "relu"));
  const auto mistake = [&](const std::string& line) {
    const auto file = store::parse_known_issues(good + "\n\n" + line + "\n");
    return file ? std::string("taken") : file.error().front();
  };
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string line = store::known_issue_line(an_issue(8, "relu"));
    return mistake(line.replace(line.find(part), part.size(), other));
  };
  CHECK(mistake("{") == "line 3: is not a JSON object");
  CHECK(mistake("[1]") == "line 3: is not a JSON object");
  CHECK(mistake(good) == "line 3: issue 7 is a duplicate");
  CHECK(with("\"number\":8", "\"number\":\"8\"") == "line 3: \"number\" is not an issue number");
  CHECK(with("\"number\":8", "\"number\":-8") == "line 3: \"number\" is not an issue number");
  CHECK(with("\"title\"", "\"name\"") == "line 3: \"title\" is missing");
  CHECK(with("numerical", "wrong").starts_with("line 3: \"kind\" is \"wrong\"; expected behaviour"));
  CHECK(with("\"open\"", "\"fixed\"").starts_with("line 3: \"state\" is \"fixed\""));
  CHECK(with("[\"relu\"]", "\"relu\"") == "line 3: \"operators\" is not a list of strings");
  CHECK(with("\"trait\"", "\"extra\":1,\"trait\"") == "line 3: \"extra\" is unknown");
  CHECK(mistake(R"({"as_of": "2026-02-30"})") == "line 3: \"as_of\" is not a date such as 2026-11-21");
  CHECK(store::parse_known_issues("\n").error().front() == "line 1: the file contains no issue");
  CHECK(store::parse_known_issues(good + "\n{\"as_of\": \"1970-01-02\"}")->as_of == kDay);
}

TEST_CASE("the table of known issues keeps facts, accepts guessed states and never becomes newer by itself") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK_FALSE(store.known.gathered_at());
  store.known.put({an_issue(1, "relu"), an_issue(2, "gelu")}, Source::facts, 5 * kDay);
  CHECK(store.known.gathered_at() == 5 * kDay);

  auto guess = an_issue(1, "tanh");
  guess.state = "closed";
  store.known.put({guess, an_issue(3, "tanh")}, Source::guess, 6 * kDay);
  CHECK(store.known.gathered_at() == 6 * kDay);
  auto known = store.known.issues();
  REQUIRE(known.size() == 3);
  CHECK(known[2].operators == std::vector<std::string>{"relu"});
  CHECK(known[2].state == "closed");
  CHECK(known[0].operators == std::vector<std::string>{"tanh"});

  store.known.put({an_issue(1, "silu")}, Source::facts, 4 * kDay);  // older facts: new words, not its state
  store.known.put({}, Source::facts, std::nullopt);
  CHECK(store.known.gathered_at() == 6 * kDay);
  known = store.known.issues();
  CHECK(known[2].operators == std::vector<std::string>{"silu"});
  CHECK(known[2].state == "closed");
}

TEST_CASE("matches of a finding are stored, shown in its draft, and recomputed when the table changes") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto finding = store.findings.add(a_finding(program.id, "h"));
  store.drafts.set({.finding = finding, .title = "t", .body = "**What I checked myself**\n\n> _…_\n\nrest"});
  CHECK(store.known.without_query() == std::vector<store::Id>{finding});
  store.known.set_query(finding, a_query("upsample_nearest2d"));
  CHECK(store.known.without_query().empty());
  CHECK(store.known.matches(finding).empty());
  CHECK(store.drafts.find(finding)->body.find("Possible duplicates") == std::string::npos);

  store.known.put({an_issue(1, "relu"), an_issue(2, "upsample_nearest2d")}, Source::facts, kDay);
  const auto matches = store.known.matches(finding);
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].issue == 2);
  CHECK(matches[0].confident);
  const std::string body = store.drafts.find(finding)->body;
  CAPTURE(body);
  CHECK(body.find("> _…_\n\n**Possible duplicates**") != std::string::npos);
  CHECK(body.find("* issue 2 (open), confident: ") != std::string::npos);
  CHECK(body.ends_with("\n\nrest"));
}
