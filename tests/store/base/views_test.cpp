// The views of docs/database.md: each is there, and the page's queries find what the rows say.
#include <SQLiteCpp/SQLiteCpp.h>
#include <re2/re2.h>

#include <fstream>
#include <set>

#include "tests/catch.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

constexpr store::Millis kNow = 1'770'000'000'000;  // 2026-02-02, a Monday

std::string page() { return read_file(PARITYD_SOURCE_DIR "/docs/database.md"); }

std::vector<std::string> all_matches(const std::string& text, const RE2& pattern) {
  std::vector<std::string> found;
  re2::StringPiece rest(text);
  for (std::string match; RE2::FindAndConsume(&rest, pattern, &match);) found.push_back(match);
  return found;
}

/// One row or more in each view.
class Filled {
 public:
  Filled() {
    store::Store store(folder_.database(), store::Access::write);
    const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
    const auto waiting = added(store, a_program("waiting"));
    const auto repaired = added(store, a_program("repaired"));
    auto repair = finished(a_program("repair"), oracle::VerdictKind::consistent);
    repair.root = repair.parent.emplace(repaired.id);
    repair.round = 1;
    (void)added(store, repair);
    store.repairs.add(repaired.id, "shape", 1, store::RepairResult::program, kNow);
    store::EvidenceRow round{
        .program = program.id, .purpose = store::Examination::confirmation, .round = 1, .verdict = *program.verdict};
    oracle::LeafMeasurement leaf{.path = "output[0]", .max_absolute = 2, .exceeds_tolerance = true, .detail = "off"};
    round.evidence.measurements = {{.leaves = {leaf}}};
    store.examinations.add(round);
    auto finding = a_finding(program.id, "one");
    finding.operators = {"aten.max.dim", "aten.max.default"};
    finding.dtypes = {"int8"};
    finding_ = store.findings.add(finding);
    store.groups.add_occurrence(finding_, program.id, "the first", kNow);
    const auto other = store.findings.add(a_finding(program.id, "two"));
    REQUIRE(store.groups.merge({.at = kNow, .who = "me", .note = "same", .finding = other, .other = finding_}));
    store.inspections.add({.finding = finding_, .tool = "guards", .text = "told", .at = kNow});
    store.fixes.keep(a_try(finding_, kNow));
    store.fixes.keep(a_failed_try(finding_, kNow + 1));
    store.rechecks.add({.finding = finding_, .torch = "2.14.0", .result = store::RecheckResult::still, .at = kNow});
    REQUIRE(store.programs.add_sentinel(program, "2.13.0", "2.14.0", kNow));
    store.examinations.add_oddity(waiting.id, "state_dependent", "warm only", kNow);
    store.workers.add_seconds({{.group = "cpu", .occupation = "eager", .seconds = 3}}, kNow);
    store::ReplyRow reply{.provider = "p", .model = "m", .strategy = "s", .purpose = store::ReplyPurpose::generate};
    reply.reserved_nano_dollars = 5;
    reply.reserved_at = kNow;
    const auto asked = store.replies.reserve(reply);
    store.readings.add({.reply = asked, .kind = "chapter", .chapter = "k", .torch = "2.13.0", .at = kNow});
    store.hypotheses.put(asked, 1, "max is wrong", program.id);
    store.arms.set({.name = "strategy/dtypes", .reward = 2, .cost = 0.01, .pulls = 3}, kNow);
    store.coverage.note(program.id, {"lowering:aten.sin.default"}, kNow);
    store.events.add("warning", "budget", "spent", kNow);
    store.alarms.count(
        {.kind = store::EventKind::disk_full, .times = 1, .first_at = kNow, .last_at = kNow, .text = "full"});
    (void)store.requests.add({.command = "stop", .arguments = "{}", .who = "me (pid 1)", .created_at = kNow});
  }
  [[nodiscard]] SQLite::Database open() const { return {folder_.database().string(), SQLite::OPEN_READWRITE}; }
  [[nodiscard]] store::Id finding() const { return finding_; }

 private:
  Folder folder_;
  store::Id finding_ = 0;
};

}  // namespace

TEST_CASE("docs/database.md has every view and no other") {
  const Filled filled;
  SQLite::Database database = filled.open();
  SQLite::Statement statement(database, "SELECT name FROM sqlite_schema WHERE type = 'view'");
  std::set<std::string> views;
  while (statement.executeStep()) views.insert(statement.getColumn(0).getString());
  const auto headings = all_matches(page(), "\n`(v_\\w+)`:");
  CHECK(std::set<std::string>(headings.begin(), headings.end()) == views);
  for (const std::string& view : views) {
    CAPTURE(view);
    CHECK(database.execAndGet("SELECT count(*) FROM " + view).getInt() > 0);
  }
}

TEST_CASE("every query of docs/database.md runs and finds rows") {
  const Filled filled;
  SQLite::Database database = filled.open();
  const auto queries = all_matches(page(), "```sql\n([^`]+)```");
  CHECK(queries.size() == all_matches(page(), "\n`(v_\\w+)`:").size());
  for (const std::string& query : queries) {
    CAPTURE(query);
    // The row of the test lies in the past; its Monday has to be the query's.
    std::string asked = query;
    RE2::GlobalReplace(&asked, "'now'", "'2026-02-04'");
    SQLite::Statement statement(database, asked);
    CHECK(statement.executeStep());
  }
}

TEST_CASE("v_findings names operators and dtypes and leaves merged findings out") {
  const Filled filled;
  SQLite::Database database = filled.open();
  SQLite::Statement row(database, "SELECT id, operators, dtypes, confirmed FROM v_findings");
  REQUIRE(row.executeStep());
  CHECK(row.getColumn(0).getInt64() == filled.finding());
  CHECK(row.getColumn(1).getString() == "max");
  CHECK(row.getColumn(2).getString() == "int8");
  CHECK(row.getColumn(3).getString() == "3 of 3");
  CHECK_FALSE(row.executeStep());
}

TEST_CASE("v_fixes names the check that failed and adds up nothing of other tries") {
  const Filled filled;
  SQLite::Database database = filled.open();
  SQLite::Statement row(database,
                        "SELECT result, failed_check, functions, dollars FROM v_fixes ORDER BY asked_utc, result");
  REQUIRE(row.executeStep());
  CHECK(row.getColumn(0).getString() == "accepted");
  CHECK(row.getColumn(1).getString().empty());
  CHECK(row.getColumn(2).getString() == "torch/_inductor/lowering.py:amax");
  CHECK(row.getColumn(3).getDouble() == 0.04);
  REQUIRE(row.executeStep());
  CHECK(row.getColumn(0).getString() == "breaks");
  CHECK(row.getColumn(1).getString() == "samples");
}

TEST_CASE("v_changes shows who did what, when and why") {
  const Filled filled;
  SQLite::Database database = filled.open();
  database.exec("UPDATE findings SET status = 'filed' WHERE id = 1");
  std::set<std::string> seen;
  SQLite::Statement row(database, "SELECT what, who, text FROM v_changes");
  while (row.executeStep()) {
    seen.insert(row.getColumn(0).getString() + "|" + row.getColumn(1).getString() + "|" + row.getColumn(2).getString());
  }
  CHECK(seen.contains("merge|me|with finding 1: same"));
  CHECK(seen.contains("status||new became filed"));
  CHECK(seen.contains("budget|parityd|spent"));
  CHECK(seen.contains("stop|me (pid 1)|waiting"));
}
