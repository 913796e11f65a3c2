// parityd merge, split and undo without a daemon and beside one, `findings` with its filters, the queue, and `export`.
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/table.h"
#include "agent/daemon/lock.h"
#include "agent/duration.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/store/a_try.h"
#include "tests/store/facts.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using nlohmann::json;

namespace {

Ran run(const std::filesystem::path& state, const std::vector<std::string>& words) {
  return run_command(state, words, state / "parityd.toml");
}

/// Findings 1 (programs 1 and 2) and 2 (program 3), with evidence and drafts; no writer is left open.
class Found {
 public:
  Found() {
    std::ofstream(folder_.path() / "parityd.toml") << "[queue]\ndrafts_per_day = 1\n";
    store::Store store(folder_.database(), store::Access::write);
    for (const char* const name : {"a", "b", "c"}) {
      auto row = finished(a_program(name), oracle::VerdictKind::inconsistent);
      row.confirmation_hits = row.confirmation_rounds = 1;
      const auto program = added(store, row);
      auto round = facts_of(oracle::Kind::numerical, row.text).rounds.front();
      round.program = program.id;
      store.examinations.add(round);
    }
    for (const store::Id program : {1, 3}) {
      auto finding = a_finding(program, program == 1 ? "one" : "two");
      finding.disposition.severity = program == 1 ? 2 : 1;
      finding.operators = {program == 1 ? "aten.max.default" : "aten.min.default"};
      const auto id = store.findings.add(finding);
      store.groups.add_occurrence(id, program, "the first", 1);
      store.drafts.set({.finding = id, .title = "A title", .body = "### body\n", .repro = "print(1)\n"});
    }
    store.groups.add_occurrence(1, 2, "same raw signature", 2);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] json listed(std::vector<std::string> filters = {}) const {
    filters.insert(filters.begin(), {"findings", "--json"});
    return json::parse(run(path(), filters).out);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return read_file(path() / name); }

 private:
  Folder folder_;
};

}  // namespace

TEST_CASE("merge and undo without a daemon take effect at once, are recorded and are listed") {
  const Found found;
  const Ran merged = run(found.path(), {"merge", "2", "1", "--note", "the same lowering"});
  CHECK(merged.exit_code == 0);
  CHECK(contains(merged.out, "finding 2 is merged into finding 1 (change 1)"));
  CHECK(found.listed().size() == 1);
  CHECK(found.listed()[0]["occurrences"] == 3);
  const auto shown = json::parse(run(found.path(), {"show", "1", "--json"}).out);
  CHECK(shown["programs"].size() == 3);
  CHECK(shown["programs"][1]["why"] == "the first");
  CHECK(shown["programs"][1]["recorded_for"] == 2);
  CHECK(shown["grouping"][0]["note"] == "the same lowering");
  CHECK(contains(run(found.path(), {"show", "1"}).out, "2 merged into 1"));
  CHECK(contains(run(found.path(), {"show", "2"}).out, "into finding 1, and counted there"));
  CHECK(run(found.path(), {"undo"}).exit_code == 0);
  CHECK(found.listed().size() == 2);
  CHECK(contains(run(found.path(), {"show", "1"}).out, "2 merged into 1, undone"));
  const store::Store store(found.path() / "parityd.db", store::Access::read);
  CHECK(store.requests.pending().empty());
  CHECK(contains(store.groups.changes_of(2).front().who, std::to_string(getpid())));
}

TEST_CASE("split creates a held finding with its own evidence and draft until a person has reviewed it") {
  const Found found;
  const Ran ran = run(found.path(), {"split", "1", "2", "--note", "another operator"});
  CAPTURE(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK(contains(ran.out, "programs 2 of finding 1 are now finding 3"));
  const auto made = json::parse(run(found.path(), {"show", "3", "--json"}).out);
  CHECK(made["disposition"] == "held(split)");
  CHECK(made["rounds"] == 1);
  CHECK(made["program"] == 2);
  CHECK(contains(made["draft"], "### "));
  CHECK(made["operators"] == json{"aten.max.default", "aten.view.default"});
  CHECK(contains(made["programs"][0]["why"], "reason there: same raw signature"));
  CHECK(run(found.path(), {"undo", "1"}).exit_code == 0);
  CHECK(found.listed().size() == 2);
  CHECK(found.listed({"--operator", "max"})[0]["occurrences"] == 2);
}

TEST_CASE("a grouping that is impossible is refused with exit code 1 and changes nothing") {
  const Found found;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"merge", "1", "1", "--note", "x"},
                                                                                     {"merge", "1", "9", "--note", "x"},
                                                                                     {"split", "1", "1", "--note", "x"},
                                                                                     {"split", "1", "3", "--note", "x"},
                                                                                     {"undo"},
                                                                                     {"undo", "4"}}) {
    CAPTURE(words);
    const Ran ran = run(found.path(), words);
    CHECK(ran.exit_code == 1);
    CHECK_FALSE(ran.err.empty());
  }
  CHECK(run(found.path(), {"merge", "1", "2"}).exit_code == 2);  // a reason must be given
  CHECK(found.listed().size() == 2);
  const Folder empty;
  CHECK(run(empty.path(), {"undo"}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(empty.database()));
}

TEST_CASE("while a daemon runs the request is left for it and its answer is printed") {
  const Found found;
  const auto lock = agent::DaemonLock::acquire(found.path());
  REQUIRE(lock);
  auto asked = std::async(std::launch::async, [&] { return run(found.path(), {"merge", "2", "1", "--note", "x"}); });
  store::Store daemon(found.path() / "parityd.db", store::Access::write);
  std::vector<store::RequestRow> requests;
  while (requests.empty() && asked.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    requests = daemon.requests.pending();
  }
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].command == "merge");
  CHECK(json::parse(requests[0].arguments) == json{{"finding", 2}, {"into", 1}, {"note", "x"}});
  daemon.requests.end(requests[0].id, "refused: not \x1b[2Jnow", 1);
  const Ran ran = asked.get();
  CHECK(ran.exit_code == 1);
  CHECK(contains(ran.err, "not "));
  CHECK_FALSE(contains(ran.err, "\x1b"));
  CHECK(found.listed().size() == 2);
}

TEST_CASE("findings accepts every filter") {
  const Found found;
  CHECK(found.listed({"--operator", "min"}).size() == 1);
  CHECK(found.listed({"--stage", "inductor", "--device", "cpu", "--torch", "2.13", "--trigger", "unknown"}).size() ==
        2);
  CHECK(found.listed({"--dtype", "int8"}).empty());
  CHECK(found.listed({"--since", "1970-01-01"}).size() == 2);
  CHECK(found.listed({"--since", "7d"}).empty());
  CHECK(run(found.path(), {"findings", "--since", "monday"}).exit_code == 2);
  CHECK(run(found.path(), {"findings", "--stage", "parser"}).exit_code == 2);
}

TEST_CASE("since accepts a span or a day") {
  CHECK(agent::parse_since("2h", 10'000'000) == 2'800'000);
  CHECK(agent::parse_since("1970-01-02", 0) == 86'400'000);
  CHECK(agent::parse_since("2024-02-29", 0));
  CHECK_FALSE(agent::parse_since("2026-02-29", 0));
  CHECK_FALSE(agent::parse_since("2026-02-03x", 0));
  CHECK_FALSE(agent::parse_since("", 0));
}

TEST_CASE("findings --csv has a heading and the same number of cells in each record") {
  const Found found;
  const Ran ran = run(found.path(), {"findings", "--csv", "--operator", "max"});
  CHECK(contains(ran.out, "id,kind,stage,status,disposition,"));
  CHECK(contains(ran.out, "\r\n1,numerical,inductor,new,ready,2,"));
  CHECK(run(found.path(), {"findings", "--csv", "--json"}).exit_code == 2);
  CHECK(agent::csv_record({"", "a,b", "say \"x\"", "=1+1", "two\nlines"}) ==
        ",\"a,b\",\"say \"\"x\"\"\",'=1+1,two lines\r\n");
}

TEST_CASE("queue shows what to file today and why the others wait") {
  const Found found;
  const auto queue = found.listed({"--queue"});
  REQUIRE(queue.size() == 2);
  CHECK(queue[0]["id"] == 2);
  CHECK(queue[0]["queue"]["today"] == true);
  CHECK(queue[0]["next_step"] == "read the draft");
  CHECK(queue[1]["queue"]["today"] == false);
  CHECK(queue[1]["queue"]["why"] ==
        "behind finding 2: severity 2 (silently wrong values) after severity 1 (silently wrong values)");
  CHECK(queue[1]["next_step"] == "wait: 1 drafts are offered per day, 0 filed today");
  const Ran text = run(found.path(), {"findings", "--queue"});
  CHECK(contains(text.out, "1. finding 2: "));
  CHECK(contains(text.out,
                 "severity 1 (silently wrong values), trigger unknown, 3 of 3 rounds, 1 lines, no known match"));
  CHECK(contains(text.out, "Not today: wait"));
  CHECK(found.listed({"--queue", "--limit", "1"}).size() == 1);
  CHECK(contains(run(found.path(), {"findings", "--queue", "--status", "filed"}).out, "nothing to file"));

  store::Store store(found.path() / "parityd.db", store::Access::write);
  store.findings.set_disposition(1, oracle::held("stale"), "known sync");
  CHECK(run(found.path(), {"findings", "--queue", "--operator", "max"}).out ==
        "nothing to file: no finding is ready and new\n     1 held(stale), new\n");
}

TEST_CASE("export writes one folder per finding") {
  const Found found;
  const auto out = (found.path() / "out").string();
  CHECK(run(found.path(), {"export", out}).exit_code == 0);
  for (const char* const name : {"repro.py", "issue.md", "test_regression.py", "evidence.json"}) {
    CAPTURE(name);
    CHECK_FALSE(found.file(std::string("out/finding-1/") + name).empty());
    CHECK_FALSE(found.file(std::string("out/finding-2/") + name).empty());
  }
  CHECK(found.file("out/finding-1/repro.py") == "print(1)\n");
  CHECK(found.file("out/finding-1/issue.md") == "# A title\n\n### body\n");
  CHECK(contains(found.file("out/finding-1/test_regression.py"), "class TestFinding1(TestCase):"));
  const auto evidence = json::parse(found.file("out/finding-1/evidence.json"));
  CHECK(evidence == json::parse(run(found.path(), {"show", "1", "--json"}).out));
  CHECK(evidence["rounds_of_first_program"].size() == 1);
  CHECK(run(found.path(), {"export", "2", (found.path() / "one").string()}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(found.path() / "one" / "finding-1"));
  CHECK(run(found.path(), {"export", "9", out}).exit_code == 1);
  CHECK(run(found.path(), {"export", "x", out}).exit_code == 2);
  CHECK(run(found.path(), {"export", "1", "/proc/none"}).exit_code == 3);
}

TEST_CASE("export writes the change of torch that makes a finding vanish, and its test") {
  const Found found;
  {
    store::Store store(found.path() / "parityd.db", store::Access::write);
    store.fixes.keep(a_try(1));
    store.fixes.keep(a_failed_try(2));
  }
  CHECK(run(found.path(), {"export", (found.path() / "out").string()}).exit_code == 0);
  CHECK(found.file("out/finding-1/fix.patch") == a_try(1).diff);
  CHECK(found.file("out/finding-1/test_regression.py") == a_try(1).test);
  CHECK(contains(found.file("out/finding-1/issue.md"), "A change that makes it vanish"));
  CHECK(json::parse(found.file("out/finding-1/evidence.json"))["fixes"].size() == 1);
  CHECK_FALSE(std::filesystem::exists(found.path() / "out/finding-2/fix.patch"));
  CHECK(contains(found.file("out/finding-2/test_regression.py"), "class TestFinding2(TestCase):"));
}
