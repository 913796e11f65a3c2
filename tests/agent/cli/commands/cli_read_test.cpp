// The subcommands that read the database or leave a request in it, run through the command line's parser.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/cli/table.h"
#include "agent/daemon/lock.h"
#include "store/base/text.h"
#include "tests/agent/cli/command.h"
#include "tests/catch.h"
#include "tests/files.h"
#include "tests/store/a_try.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

Ran run(const std::filesystem::path& state, const std::vector<std::string>& words) { return run_command(state, words); }

void check_screen(const std::string& text) {
  CAPTURE(text);
  CHECK(store::clean_text(text) == text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(store::characters(line) <= 100);
}

/// A state folder with two findings, the second hostile.
class Found {
 public:
  Found() : store_(folder_.database(), store::Access::write) {
    const auto program = added(store_, finished(a_program("a"), oracle::VerdictKind::inconsistent));
    store::EvidenceRow row{.program = program.id, .purpose = store::Examination::confirmation, .round = 1};
    row.verdict = *program.verdict;
    row.evidence.outcomes[oracle::Mode::eager] = {};
    store_.examinations.add(row);
    auto finding = a_finding(program.id, "one");
    finding.environment = store_.environments.id_of(
        {.torch = "2.13.0", .python = "3.11", .device = "cuda", .sandbox = "reduced: seccomp; off: user (EPERM)"});
    const auto first = store_.findings.add(finding);
    store_.groups.add_occurrence(first, program.id, "the first", 1);
    store_.drafts.set({.finding = first, .title = "A title", .body = "### body\n", .repro = "print(1)\n"});
    (void)store_.environments.id_of({.torch = "2.13.0",
                                     .python = "3.11",
                                     .device = "cpu",
                                     .sandbox = "full: user, mount; off: cgroup (cannot be written: EACCES)"});
    auto hostile = a_finding(program.id, "two");
    hostile.title = hostile.explanation = hostile.signature.text = hostile.why =
        "\x1b[2J\x07 \xe2\x80\xae" + std::string(300, 'w');
    hostile.disposition = oracle::held("stride");
    (void)store_.findings.add(hostile);
    store_.events.add("info", "start", "\x1b]0;evil\x07", 1);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  [[nodiscard]] store::Store& store() { return store_; }

 private:
  Folder folder_;
  store::Store store_;
};

}  // namespace

TEST_CASE("findings prints a table of at most 100 columns") {
  const Found found;
  const Ran ran = run(found.path(), {"findings"});
  CHECK(ran.exit_code == 0);
  check_screen(ran.out);
  CHECK(contains(ran.out, "numerical"));
  CHECK(contains(ran.out, "ready"));
  CHECK(run(found.path(), {"findings", "--kind", "bug"}).exit_code == 2);
  CHECK(contains(run(found.path(), {"findings", "--status", "filed"}).out, "no findings match"));
  CHECK(contains(run(found.path(), {"findings", "--limit", "1"}).err, "--limit 0"));
}

TEST_CASE("a confirmed program is listed and can be shown before it becomes a finding") {
  Found found;
  CHECK_FALSE(contains(run(found.path(), {"findings"}).out, "Confirmed"));
  auto row = a_program("on its way");
  row.state = store::ProgramState::confirming;
  row.confirmation_hits = row.confirmation_rounds = 1;
  row.next_step = "reduce it";
  const auto program = added(found.store(), row);
  row.identity = "a suspect";
  row.confirmation_hits = row.confirmation_rounds = 0;
  (void)added(found.store(), row);
  for (const int round : {1, 2}) {
    found.store().examinations.add({.program = program.id,
                                    .purpose = store::Examination::confirmation,
                                    .round = round,
                                    .verdict = {oracle::VerdictKind::inconsistent,
                                                oracle::Kind::gradient,
                                                "r",
                                                round == 1 ? "a gradient \x1b[2J differs" : "later",
                                                {}},
                                    .at = round});
  }
  const auto confirmed = found.store().programs.confirmed();
  REQUIRE(confirmed.size() == 1);
  CHECK(confirmed.front().program == program.id);
  CHECK(confirmed.front().kind == oracle::Kind::gradient);
  CHECK(confirmed.front().since == 1);
  const Ran listed = run(found.path(), {"findings"});
  check_screen(listed.out);
  for (const char* const part : {"Confirmed, being reduced", "gradient", "reduce it", "differs"}) {
    CAPTURE(part);
    CHECK(contains(listed.out, part));
  }
  CHECK_FALSE(contains(run(found.path(), {"findings", "--json"}).out, "reduce it"));
  const Ran shown = run(found.path(), {"show", "--program", std::to_string(program.id)});
  CHECK(shown.exit_code == 0);
  CHECK(store::clean_text(shown.out) == shown.out);
  for (const char* const part : {"in 1 of 1 rounds", "reduce it", "confirmation 2", "class Model: pass"}) {
    CAPTURE(part);
    CHECK(contains(shown.out, part));
  }
  CHECK(run(found.path(), {"show", "--program", "99"}).exit_code == 1);
  CHECK(run(found.path(), {"show"}).exit_code == 2);
  CHECK(run(found.path(), {"show", "1", "--program", "1"}).exit_code == 2);
}

TEST_CASE("findings --json is an array of complete findings") {
  const Found found;
  const auto json = nlohmann::json::parse(run(found.path(), {"findings", "--json"}).out);
  REQUIRE(json.is_array());
  REQUIRE(json.size() == 2);
  for (const char* const key :
       {"id", "kind", "stage", "signature", "status", "disposition", "trigger", "reduced", "draft", "occurrences"}) {
    CAPTURE(key);
    CHECK(json[0].contains(key));
  }
  CHECK(json[0]["stage"] == "inductor");
  CHECK(json[0]["draft"] == "### body\n");
  CHECK(json[0]["occurrences"] == 1);
  CHECK(nlohmann::json::parse(run(found.path(), {"findings", "--json", "--disposition", "held"}).out).size() == 1);
  CHECK(nlohmann::json::parse(run(found.path(), {"findings", "--json", "--search", "differs from"}).out).size() == 1);
}

TEST_CASE("show prints all details of one finding") {
  const Found found;
  const Ran ran = run(found.path(), {"show", "1"});
  CHECK(ran.exit_code == 0);
  CHECK(store::clean_text(ran.out) == ran.out);
  for (const char* const part : {"Finding 1", "ready", "3 of 3 rounds", "read the draft", "confirmation 1",
                                 "class Model: pass", "parityd draft 1"}) {
    CAPTURE(part);
    CHECK(contains(ran.out, part));
  }
  CHECK(store::clean_text(run(found.path(), {"show", "2"}).out) == run(found.path(), {"show", "2"}).out);
  CHECK(contains(ran.out, "sandbox        reduced; off: user (EPERM)\n"));
  const auto json = nlohmann::json::parse(run(found.path(), {"show", "1", "--json"}).out);
  CHECK(json["sandbox"]["level"] == "reduced");
  CHECK(json["sandbox"]["off"] == "user (EPERM)");
  CHECK(json["rounds_of_first_program"].size() == 1);
  CHECK(json["programs"].size() == 1);
  CHECK(json["repro"] == "print(1)\n");
}

TEST_CASE("show prints the hypothesis that a model stated before the program ran") {
  const Found found;
  CHECK_FALSE(contains(run(found.path(), {"show", "1"}).out, "hypothesis"));
  {
    store::Store store(found.path() / "parityd.db", store::Access::write);
    const auto reply = store.replies.reserve(
        {.provider = "p", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate});
    store.hypotheses.put(reply, 1, "lowering.py:amax:7: loses \x1b[1mNaN", store.findings.find(1)->program);
  }
  CHECK(contains(run(found.path(), {"show", "1"}).out, "hypothesis     lowering.py:amax:7: loses"));
  CHECK_FALSE(contains(run(found.path(), {"show", "1"}).out, "\x1b[1mNaN"));
  const auto json = nlohmann::json::parse(run(found.path(), {"show", "1", "--json"}).out);
  CHECK(json["hypothesis"].get<std::string>().starts_with("lowering.py:amax:7:"));
  CHECK(json["hypothesis_agreement"] == "unknown");
  CHECK(json["hypothesis_place"].is_null());
  CHECK(contains(run(found.path(), {"show", "1"}).out, "before the program ran; attribution: unknown)"));
}

TEST_CASE("show prints each change of torch with its checks, and the diff of the accepted one") {
  Found found;
  CHECK_FALSE(contains(run(found.path(), {"show", "1"}).out, "Change of torch"));
  auto hostile = a_failed_try(1, 1'000);
  hostile.why += " \x1b[2J";
  found.store().fixes.keep(hostile);
  found.store().fixes.keep(
      {.finding = 1, .number = 2, .at = 1'500, .result = store::FixResult::does_not_import, .why = "NameError"});
  CHECK_FALSE(contains(run(found.path(), {"show", "1"}).out, "Diff of try"));
  auto accepted = a_try(1, 2'000);
  accepted.number = 3;
  found.store().fixes.keep(accepted);
  const Ran ran = run(found.path(), {"show", "1"});
  CHECK(ran.exit_code == 0);
  CAPTURE(ran.out);
  CHECK(store::clean_text(ran.out) == ran.out);
  for (const char* const part :
       {"Change of torch, try 1: breaks", "why            2 of 128 samples are newly wrong",
        "a model (standin), 1970-01-01 00:00:01 UTC: 12345 tokens in, 678 out, $0.0400",
        "change         2 lines in torch/_inductor/lowering.py:amax",
        "checked        with torch 2.13.0 on cpu, 95.5 seconds", "failing        amax/int8/3, amax/int8/4",
        "Change of torch, try 2: does not import", "asked          no model", "Change of torch, try 3: accepted",
        "newest torch   On torch 2.14.1", "vanish with it findings 7", "none of 27 variants shows it",
        "Diff of try 3, written by a language model, not reviewed", "+    return to_dtype(x, x.dtype)\n"}) {
    CAPTURE(part);
    CHECK(contains(ran.out, part));
  }
  const auto tries = nlohmann::json::parse(run(found.path(), {"show", "1", "--json"}).out)["fixes"];
  REQUIRE(tries.size() == 3);
  CHECK(tries[0]["checks"][1]["result"] == "breaks");
  CHECK(tries[2]["reply"] == "Because of the cast.\n");
  CHECK(tries[2]["at"] == "1970-01-01 00:00:02");
  CHECK_FALSE(tries[2].contains("nano_dollars"));
  CHECK(
      contains(run(found.path(), {"draft", "1"}).out, "#### A change that makes it vanish\n\nA change of 2 lines in"));
}

TEST_CASE("draft and repro print the stored text or write it to a file") {
  const Found found;
  const Ran draft = run(found.path(), {"draft", "1"});
  CHECK(draft.exit_code == 0);
  CHECK(draft.out == "### body\n");
  CHECK(contains(draft.err, "Title: A title"));
  const auto file = (found.path() / "repro.py").string();
  CHECK(run(found.path(), {"repro", "1", "--output", file}).exit_code == 0);
  CHECK(read_file(file) == "print(1)\n");
  CHECK(run(found.path(), {"repro", "1", "--output", "/nonexistent/repro.py"}).exit_code == 3);
  CHECK(nlohmann::json::parse(run(found.path(), {"draft", "1", "--json"}).out)["title"] == "A title");
}

TEST_CASE("an unknown finding is an error that names where it was looked for") {
  const Found found;
  for (const char* const command : {"show", "draft", "repro"}) {
    const Ran ran = run(found.path(), {command, "99"});
    CHECK(ran.exit_code == 1);
    CHECK(contains(ran.err, "99"));
    CHECK(contains(ran.err, found.path().string()));
    CHECK(run(found.path(), {command}).exit_code == 2);
    CHECK(run(found.path(), {command, "x"}).exit_code == 2);
  }
  CHECK(run(found.path(), {"draft", "2"}).exit_code == 1);
  const Folder empty;
  CHECK(run(empty.path(), {"findings", "--json"}).out == "[]\n");
  CHECK(run(empty.path(), {"show", "1"}).exit_code == 1);
  CHECK(run(empty.path(), {"status"}).exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(empty.database()));
}

TEST_CASE("status shows whether a daemon runs and what it has done") {
  const Found found;
  CHECK(contains(run(found.path(), {"status"}).out, "not running"));
  auto json = nlohmann::json::parse(run(found.path(), {"status", "--json"}).out);
  CHECK(json["running"] == false);
  CHECK(json["programs"] == 1);
  CHECK(json["valid"] == 1);
  CHECK(json["findings"] == 2);
  CHECK(json["events"].size() == 1);

  const auto lock = agent::DaemonLock::acquire(found.path());
  REQUIRE(lock);
  const Ran ran = run(found.path(), {"status"});
  CHECK(contains(ran.out, "running as pid " + std::to_string(getpid())));
  check_screen(ran.out.substr(ran.out.find('\n') + 1));  // the first line names the folder, however long
  json = nlohmann::json::parse(run(found.path(), {"status", "--json"}).out);
  CHECK(json["pid"] == getpid());
}

TEST_CASE("status shows the sandbox of each device and its missing layers") {
  Found found;
  const Ran ran = run(found.path(), {"status"});
  CHECK(contains(ran.out,
                 "sandbox    cpu: full; off: cgroup (cannot be written: EACCES)\n"
                 "           cuda: reduced; off: user (EPERM)\n"));
  auto json = nlohmann::json::parse(run(found.path(), {"status", "--json"}).out);
  REQUIRE(json["sandbox"].size() == 2);
  CHECK(json["sandbox"][0] == nlohmann::json{{"device", "cpu"},
                                             {"level", "full"},
                                             {"on", "user, mount"},
                                             {"off", "cgroup (cannot be written: EACCES)"}});
  std::string off = "reduced: seccomp; off: user (EPERM)";
  for (int layer = 0; layer < 20; ++layer) off += ", layer" + std::to_string(layer) + " (not granted \x1b[2J here)";
  (void)found.store().environments.id_of({.torch = "3", .python = "3.11", .device = "cuda", .sandbox = off});
  const Ran many = run(found.path(), {"status"});
  check_screen(many.out.substr(many.out.find('\n') + 1));
  CHECK(contains(many.out, "layer19"));
  const Folder empty;
  json = nlohmann::json::parse(run(empty.path(), {"status", "--json"}).out);
  CHECK(json["sandbox"] == nlohmann::json::array());
}

TEST_CASE("import leaves one request per file, also without a daemon") {
  const Folder folder;
  const auto program = folder.path() / "program.py";
  const std::string text =
      "import torch\n\n\ndef get_inputs():\n    return []\n\n\nclass Model(torch.nn.Module):\n    pass\n";
  std::ofstream(program) << text;
  CHECK(run(folder.path(), {"import", program.string(), program.string()}).exit_code == 0);
  {
    const store::Store store(folder.database(), store::Access::read);
    const auto requests = store.requests.pending();
    REQUIRE(requests.size() == 2);
    CHECK(requests.front().command == "import");
    const auto arguments = nlohmann::json::parse(requests.front().arguments);
    CHECK(arguments["file"] == "program.py");
    CHECK(arguments["text"] == text);
    CHECK(contains(requests.front().who, std::to_string(getpid())));
  }
  const Ran ran = run(folder.path(), {"import", program.string(), (folder.path() / "missing.py").string()});
  CHECK(ran.exit_code == 2);
  CHECK(contains(ran.err, "missing.py"));
  CHECK(store::Store(folder.database(), store::Access::read).requests.pending().size() == 2);
}

TEST_CASE("stop asks the daemon to end and reports it if it does not") {
  Found found;
  CHECK(run(found.path(), {"stop"}).exit_code == 1);
  CHECK(found.store().requests.pending().empty());
  const auto lock = agent::DaemonLock::acquire(found.path());
  REQUIRE(lock);
  const Ran ran = run(found.path(), {"stop", "--timeout", "0"});
  CHECK(ran.exit_code == 3);
  CHECK(contains(ran.err, "is still running"));
  REQUIRE(found.store().requests.pending().size() == 1);
  CHECK(found.store().requests.pending().front().command == "stop");
}

TEST_CASE("text is wrapped at spaces and a word that is too long stays whole") {
  CHECK(agent::wrapped("one two", 4, {}) == "one two");
  CHECK(agent::wrapped("", 4, {}).empty());
  const std::string half(60, 'x');
  CHECK(agent::wrapped(half + " " + half, 3, {}) == half + "\n   " + half);
  const std::string whole(97, 'y');
  CHECK(agent::wrapped(whole + " z", 3, {}) == whole + "\n   z");
  CHECK(agent::wrapped("a " + std::string(120, 'w'), 0, {}) == "a\n" + std::string(120, 'w'));
}

TEST_CASE("tables are cut to 100 columns and coloured only on request") {
  agent::Table table({"a", "b", "c"});
  table.add({"1", std::string(80, 'x'), "\x1b[31m" + std::string(200, 'y')});
  table.add({"2"});
  check_screen(table.text({}));
  CHECK(contains(table.text({.colour = true}), "\x1b[1m"));
  CHECK(agent::coloured("x", agent::Colour::red, false) == "x");
}

TEST_CASE("numbers in tables are right-aligned with their heading and never cut") {
  agent::Table table({"name", "n", "last"});
  table.align_right({1, 2});
  table.add({"a", "7", "5"});
  table.add({"b", "123456789012", "55"});
  CHECK(table.text({}) == "name             n  last\na                7     5\nb     123456789012    55\n");
  table.add({std::string(200, 'x'), "123456789012", "5"});
  check_screen(table.text({}));
  CHECK(contains(table.text({}), "…  123456789012     5\n"));
}
