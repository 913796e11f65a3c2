// What is put in comes back.
#include <limits>
#include <nlohmann/json.hpp>

#include "oracle/finding/json.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Mode;

namespace {

oracle::LeafMeasurement a_leaf(const std::string& path, double difference) {
  oracle::LeafMeasurement leaf;
  leaf.path = path;
  leaf.elements = 6;
  leaf.unequal = difference != 0 ? 2 : 0;
  leaf.max_absolute = difference;
  leaf.rms_difference = difference;
  leaf.exceeds_tolerance = difference > 0.1;
  leaf.detail = difference > 0.1 ? "max abs" : "";
  return leaf;
}

store::EvidenceRow a_round(store::Id program) {
  oracle::ErrorReport error;
  error.outer_class = "InductorError";
  error.inner_class = "AssertionError";
  error.message = "quote ' and \x01 and ü";
  error.live_tensors = {{"x", "float32", {2, 3}}};
  store::EvidenceRow row;
  row.program = program;
  row.purpose = store::Examination::confirmation;
  row.round = 2;
  row.worker_seconds = 1.5;
  row.at = 77;
  row.evidence.compiled = Mode::inductor_dynamic;
  row.evidence.outcomes[Mode::eager] = {
      .kind = oracle::OutcomeKind::ran, .step = oracle::Step::measure, .seconds = 0.5};
  row.evidence.outcomes[Mode::inductor_dynamic] = {.kind = oracle::OutcomeKind::raised,
                                                   .step = oracle::Step::compile,
                                                   .error = error,
                                                   .graphs = 1,
                                                   .operators = {"aten.max.default"}};
  row.evidence.outcomes[Mode::aot_eager] = {.kind = oracle::OutcomeKind::died, .signal = 11, .native_frame = "f()"};
  row.evidence.same = false;
  row.evidence.same_detail = "no double reference";
  row.evidence.warnings = {"no double run: it casts"};
  row.verdict = {.verdict = oracle::VerdictKind::inconsistent,
                 .kind = oracle::Kind::numerical,
                 .rule = "numbers.double_run",
                 .explanation = "output[0] differs",
                 .leaves = {"output[0]"}};
  return row;
}

std::string text_of(const store::EvidenceRow& row) {
  return nlohmann::json{{"evidence", row.evidence}, {"verdict", row.verdict}}.dump();
}

}  // namespace

TEST_CASE("evidence is read as it was stored") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, a_program("a"));
  store::EvidenceRow row = a_round(program.id);
  row.environment = store.environments.id_of({.torch = "2.13.0", .python = "3.11", .device = "cpu"});
  auto odd = a_leaf("output[0]", 3);
  odd.max_relative = std::numeric_limits<double>::quiet_NaN();
  odd.rms_expected = std::numeric_limits<double>::infinity();
  row.evidence.measurements.push_back({.expected = Mode::eager, .actual = Mode::inductor_dynamic, .leaves = {odd}});
  row.evidence.measurements.push_back(
      {.expected = Mode::reference, .actual = Mode::eager, .leaves = {a_leaf("output[0]", 1e-7)}});
  store.examinations.add(row);

  const auto found = store.examinations.of(program.id);
  REQUIRE(found.size() == 1);
  CHECK(text_of(found.front()) == text_of(row));
  CHECK(found.front().purpose == store::Examination::confirmation);
  CHECK(found.front().round == 2);
  CHECK(found.front().environment == row.environment);
  CHECK(found.front().worker_seconds == 1.5);
  CHECK(found.front().at == 77);
}

TEST_CASE("leaves that are equal everywhere are only counted, those that differ anywhere are stored for every pair") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, a_program("a"));
  store::EvidenceRow row = a_round(program.id);
  row.evidence.measurements = {
      {.expected = Mode::eager, .actual = Mode::inductor, .leaves = {a_leaf("equal", 0), a_leaf("wrong", 5)}},
      {.expected = Mode::eager, .actual = Mode::eager_repeat, .leaves = {a_leaf("equal", 0), a_leaf("wrong", 0)}},
      {.expected = Mode::reference, .actual = Mode::eager, .leaves = {a_leaf("equal", 1e-9), a_leaf("wrong", 1e-9)}}};
  store.examinations.add(row);
  const auto evidence = store.examinations.of(program.id).front().evidence;
  REQUIRE(evidence.measurements.size() == 3);
  for (const auto& measurement : evidence.measurements) {
    CHECK(measurement.find("equal") == nullptr);
    CHECK(measurement.find("wrong") != nullptr);
  }
  CHECK(evidence.measurement(Mode::eager, Mode::eager_repeat)->find("wrong")->unequal == 0);
}

TEST_CASE("a program is stored once and read back complete") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  auto row = a_program("one");
  row.text = std::string("x = '\0'", 7);
  row.strategy = "edge";
  row.options_json = R"({"dynamic": true})";
  const auto id = store.programs.add(row);
  REQUIRE(id);
  CHECK_FALSE(store.programs.add(row));
  CHECK(store.programs.by_identity("one") == id);
  CHECK_FALSE(store.programs.by_identity("two"));
  auto found = store.programs.find(*id).value();
  CHECK(found.text == row.text);
  CHECK(found.root == *id);
  CHECK_FALSE(found.verdict);
  CHECK(found.options_json == row.options_json);

  found = finished(found, oracle::VerdictKind::inconsistent);
  found.why = "three hits";
  found.error_key = "RuntimeError";
  store.programs.update(found);
  const auto again = store.programs.find(*id).value();
  REQUIRE(again.verdict);
  CHECK(again.verdict->kind == oracle::Kind::missing_check);
  CHECK(again.verdict->leaves == std::vector<std::string>{"output[0]"});
  CHECK(again.why == "three hits");
  CHECK(again.error_key == "RuntimeError");
  CHECK(store.programs.in_state(store::ProgramState::finished, 10).size() == 1);
  CHECK(store.programs.in_state(store::ProgramState::queued, 10).empty());
}

TEST_CASE("programs are listed oldest first up to the limit") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const char* name : {"a", "b", "c"}) (void)store.programs.add(a_program(name));
  const auto found = store.programs.in_state(store::ProgramState::queued, 2);
  REQUIRE(found.size() == 2);
  CHECK(found[0].identity == "a");
  CHECK(found[1].identity == "b");
}

TEST_CASE("an environment is one row and its text is added once known") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store::EnvironmentRow row{.torch = "2.13.0", .python = "3.11", .device = "cpu", .device_name = "x86", .sandbox = "s"};
  const auto id = store.environments.id_of(row);
  row.text = "PyTorch version: 2.13.0";
  CHECK(store.environments.id_of(row) == id);
  CHECK(store.environments.find(id)->text == row.text);
  row.text = "";
  CHECK(store.environments.id_of(row) == id);
  CHECK(store.environments.find(id)->text == "PyTorch version: 2.13.0");
  row.text = "PyTorch version: 2.13.0, another package";
  CHECK(store.environments.id_of(row) != id);
  CHECK_FALSE(store.environments.find(store::Id{99}));
}

TEST_CASE("findings are filtered, searched and ordered by importance") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, a_program("a"));
  auto held = a_finding(program.id, "h");
  held.disposition = oracle::held("stride");
  held.kind = oracle::Kind::metadata;
  held.stage = oracle::Stage::aot_eager;
  const auto held_id = store.findings.add(held);
  auto minor = a_finding(program.id, "m");
  minor.disposition.severity = 2;
  minor.reduced = "torch.scatter_reduce(\"50%\")";
  const auto minor_id = store.findings.add(minor);
  const auto major_id = store.findings.add(a_finding(program.id, "j"));

  const auto ids = [&](const store::FindingFilter& filter) {
    std::vector<store::Id> found;
    for (const auto& finding : store.findings.list(filter)) found.push_back(finding.id);
    return found;
  };
  using Ids = std::vector<store::Id>;
  CHECK(ids({}) == Ids{major_id, minor_id, held_id});
  CHECK(ids({.limit = 1}) == Ids{major_id});
  CHECK(ids({.kind = "metadata"}) == Ids{held_id});
  CHECK(ids({.status = "filed"}).empty());
  CHECK(ids({.disposition = "held"}) == Ids{held_id});
  CHECK(ids({.disposition = "held(stride)"}) == Ids{held_id});
  CHECK(ids({.disposition = "hel"}).empty());
  CHECK(ids({.text = "SCATTER_red"}) == Ids{minor_id});
  CHECK(ids({.text = "(\"50%\")"}) == Ids{minor_id});
  CHECK(ids({.text = "ma"}).size() == 3);
  CHECK(ids({.text = "\" OR \""}).empty());
  CHECK(store.findings.by_signature("h")->stage == oracle::Stage::aot_eager);
  CHECK_FALSE(store.findings.by_signature("none"));
  CHECK_THROWS_AS(store.findings.add(a_finding(program.id, "h")), store::StoreError);
}

TEST_CASE("a draft replaces the previous one, and occurrences are in order") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto first = added(store, a_program("a"));
  const auto second = added(store, a_program("b"));
  const auto id = store.findings.add(a_finding(first.id, "s"));
  CHECK_FALSE(store.drafts.find(id));
  store.drafts.set({.finding = id, .title = "t", .body = "old", .repro = "r", .created_at = 1});
  store.drafts.set({.finding = id, .title = "t", .body = "new", .repro = "r", .created_at = 2});
  CHECK(store.drafts.find(id)->body == "new");
  store.groups.add_occurrence(id, second.id, "same", 20);
  store.groups.add_occurrence(id, first.id, "the first", 10);
  const auto programs = store.groups.occurrences_of(id);
  REQUIRE(programs.size() == 2);
  CHECK(programs.front().program.id == first.id);
}

TEST_CASE("a decision does not wait behind imported programs") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const char* const command : {"import", "triage", "import", "import", "stop"}) {
    (void)store.requests.add({.command = command, .arguments = "{}", .who = "me", .created_at = 5});
  }
  const auto commands = [&](int imports) {
    std::string all;
    for (const auto& row : store.requests.pending(imports)) all += row.command + " ";
    return all;
  };
  CHECK(commands(-1) == "import triage import import stop ");
  CHECK(commands(2) == "import triage import stop ");
  CHECK(commands(0) == "triage stop ");
  CHECK(store.requests.waiting() == 5);
  store.requests.end(1, "taken", 9);
  CHECK(commands(1) == "triage import stop ");
}

TEST_CASE("requests wait until they are answered, and events are listed newest first") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  {
    store::Store asking(folder.database(), store::Access::request);
    (void)asking.requests.add({.command = "import", .arguments = "{}", .who = "me", .created_at = 5});
    (void)asking.requests.add({.command = "stop", .arguments = "{}", .who = "me", .created_at = 6});
  }
  const auto pending = store.requests.pending();
  REQUIRE(pending.size() == 2);
  CHECK(pending.front().command == "import");
  CHECK(pending.front().who == "me");
  CHECK_FALSE(store.requests.result(pending.front().id));
  store.requests.end(pending.front().id, "taken", 9);
  CHECK(store.requests.result(pending.front().id) == std::string("taken"));
  CHECK(store.requests.pending().size() == 1);
  CHECK(store.requests.waiting() == 1);

  store.events.add("info", "start", "one", 1);
  store.events.add("info", "end", "two", 2);
  REQUIRE(store.events.recent(1).size() == 1);
  CHECK(store.events.recent(1).front().what == "end");

  store.values.set("seed", "4");
  store.values.set("seed", "5");
  CHECK(store.values.find("seed") == std::string("5"));
  CHECK_FALSE(store.values.find("other"));
}
