// What workers did and had done, what programs ran on, what replies cost; and a database of schema 1 brought to 2.
#include <SQLiteCpp/SQLiteCpp.h>

#include "store/base/schema.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;
using Seconds = store::WorkerSecondsRow;

namespace {

constexpr store::Millis kDay = 86'400'000;

/// "group occupation seconds" of each row.
std::vector<std::string> lines(const std::vector<Seconds>& rows) {
  std::vector<std::string> all;
  all.reserve(rows.size());
  for (const auto& row : rows) {
    all.push_back(row.group + " " + row.occupation + " " + std::to_string(static_cast<int>(row.seconds * 10)));
  }
  return all;
}

store::Id an_environment(store::Store& store, const std::string& device, const std::string& sandbox) {
  return store.environments.id_of(
      {.torch = "2.13.0", .python = "3.11", .device = device, .sandbox = sandbox, .text = "t"});
}

void ran_on(store::Store& store, store::Id program, store::Id environment) {
  store::EvidenceRow row{.program = program, .purpose = store::Examination::screen, .environment = environment};
  row.verdict = {.verdict = oracle::VerdictKind::consistent};
  store.examinations.add(row);
}

store::Id a_reply(store::Store& store, const std::string& provider, const std::string& strategy,
                  store::ReplyState state, std::int64_t cost) {
  store::ReplyRow row{
      .provider = provider, .model = "m", .strategy = strategy, .purpose = store::ReplyPurpose::generate};
  row.reserved_nano_dollars = 900;
  row.reserved_at = 5'000;
  row.id = store.replies.reserve(row);
  row.state = state;
  row.prompt_tokens = 10;
  row.completion_tokens = 3;
  row.cost_nano_dollars = cost;
  store.replies.end(row);
  return row.id;
}

/// A file as a parityd that knew only schema 1 left it: the tables of that time with rows in them.
void make_schema_1(const std::filesystem::path& file) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  store::migrate(database, file, {store::migrations().front()});
  database.exec(R"(
    INSERT INTO environments (torch, python, device, device_name, sandbox, text)
      VALUES ('2.13.0', '3.11', 'cpu', 'a CPU', 'user, pid', 'PyTorch version: 2.13.0');
    INSERT INTO programs (identity, origin, source, strategy, root, round, state, next_step, why, gate_hits,
      gate_rounds, suspect, options, verdict, kind, rule, explanation, leaves, error_key, created_at, finished_at, text)
      VALUES ('one', 'import', 'one.py', '', 1, 0, 'finished', '', 'judged', 3, 3, 1, '{}', 'inconsistent',
        'numerical', 'a.rule', 'it differs', '["output[0]"]', '', 1000, 2000, 'class Model: pass'),
      ('two', 'import', 'two.py', '', 2, 0, 'queued', 'screen it', 'new', 0, 0, 0, '{}', NULL, NULL, NULL, NULL, NULL,
        '', 1500, 0, 'class Model: 2'),
      ('three', 'rest', 'one.py', '', 3, 0, 'gating', 'gate round 1 of 3', 'new', 0, 0, 1, '{}', NULL, NULL, NULL, NULL,
        NULL, '', 1700, 0, 'class Model: 3');
    INSERT INTO examinations (program, purpose, round, environment, compiled, same_detail, warnings, worker_seconds, at)
      VALUES (1, 'gate', 1, 1, 'inductor', '', '[]', 2.5, 1900);
    INSERT INTO verdicts VALUES (1, 'inconsistent', 'numerical', 'a.rule', 'it differs', '["output[0]"]');
    INSERT INTO findings (signature_hash, signature_text, kind, stage, status, disposition, severity, reach, title,
      explanation, device, torch, program, environment, hits, rounds, next_step, why, created_at, reduced)
      VALUES ('hash', 'a signature', 'numerical', 'inductor', 'new', 'ready', 1, 'unknown', 'a title', 'it differs',
        'cpu', '2.13.0', 1, 1, 3, 3, 'read the draft', 'confirmed', 3000, 'class Model: pass');
    INSERT INTO occurrences VALUES (1, 1, 'the first', 3000);
    INSERT INTO oddities (program, what, text, at) VALUES (2, 'state_dependent', 'only a warm worker saw it', 1600);
    INSERT INTO events (at, level, what, text) VALUES (1, 'info', 'start', 'began');
  )");
}

}  // namespace

TEST_CASE("the worker history of a suspect is stored in order and replaced by a later one") {
  const Folder folder;
  const auto kept = [&](store::Id program) {
    SQLite::Database database(folder.database().string());
    SQLite::Statement earlier(database, "SELECT earlier FROM worker_histories WHERE program = ?");
    earlier.bind(1, program);
    return earlier.executeStep() ? earlier.getColumn(0).getString() : "";
  };
  store::Store store(folder.database(), store::Access::write);
  const auto first = added(store, a_program("a")).id;
  const auto second = added(store, a_program("b")).id;
  CHECK(kept(second).empty());
  store.workers.set_history(second, {7, 3, first});
  CHECK(kept(second) == "[7,3,1]");
  CHECK(kept(first).empty());
  store.workers.set_history(second, {first});
  CHECK(kept(second) == "[1]");
  store.workers.set_history(second, {});
  CHECK(kept(second) == "[]");
  CHECK_THROWS_AS(store.workers.set_history(99, {first}), store::StoreError);  // no such program
}

TEST_CASE("worker time is summed by day, group and occupation") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.workers.seconds(0).empty());
  store.workers.add_seconds({{"cuda", "eager", 1.5}, {"cuda", "compile", 6}, {"cpu", "compile", 2}}, 10 * kDay + 5);
  store.workers.add_seconds({{"cuda", "eager", 0.5}}, 11 * kDay - 1);
  store.workers.add_seconds({{"cuda", "eager", 4}}, 11 * kDay);
  CHECK(lines(store.workers.seconds(0)) ==
        std::vector<std::string>{"cpu compile 20", "cuda compile 60", "cuda eager 60"});
  CHECK(lines(store.workers.seconds(10 * kDay + kDay / 2)) == lines(store.workers.seconds(0)));  // its whole day
  CHECK(lines(store.workers.seconds(11 * kDay)) == std::vector<std::string>{"cuda eager 40"});
  CHECK(store.workers.seconds(12 * kDay).empty());

  SQLite::Database database(folder.database().string());
  SQLite::Statement view(database,
                         "SELECT day, seconds, share FROM v_worker_seconds WHERE worker_group = 'cuda' "
                         "AND occupation = 'eager' ORDER BY day");
  REQUIRE(view.executeStep());
  CHECK(view.getColumn(0).getString() == "1970-01-11");
  CHECK(view.getColumn(1).getDouble() == 2);
  CHECK(view.getColumn(2).getDouble() == 0.25);
  REQUIRE(view.executeStep());
  CHECK(view.getColumn(2).getDouble() == 1);
}

TEST_CASE("worker time is saved completely or not at all") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK_THROWS(store.transaction([&] {
    store.workers.add_seconds({{"cpu", "eager", 1}}, 0);
    throw std::runtime_error("the loop failed");
  }));
  CHECK(store.workers.seconds(0).empty());
}

TEST_CASE("a view lists what only a warm worker showed with the number of its earlier programs") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::consistent)).id;
  const auto flaky = added(store, a_program("b")).id;
  store.workers.set_history(program, {5, 6, 7});
  store.examinations.add_oddity(program, "state_dependent", "seen warm", 3'600'000);
  store.examinations.add_oddity(flaky, "flaky", "seen once", 1);
  SQLite::Database database(folder.database().string());
  SQLite::Statement view(database, "SELECT program, programs_before, text, seen_utc FROM v_state_dependent");
  REQUIRE(view.executeStep());
  CHECK(view.getColumn(0).getInt64() == program);
  CHECK(view.getColumn(1).getInt() == 3);
  CHECK(view.getColumn(2).getString() == "seen warm");
  CHECK(view.getColumn(3).getString() == "1970-01-01 01:00:00");
  CHECK_FALSE(view.executeStep());
}

TEST_CASE("the environment of a device is the one in which programs ran last") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.environments.by_device().empty());
  const auto program = added(store, a_program("a")).id;
  const auto full = an_environment(store, "cpu", "full: user");
  const auto none = an_environment(store, "cpu", "none: no layer");
  const auto gpu = an_environment(store, "cuda", "full: user");
  const auto ids = [&] {
    std::vector<store::Id> all;
    for (const auto& row : store.environments.by_device()) all.push_back(row.id);
    return all;
  };
  CHECK(ids() == std::vector<store::Id>{none, gpu});  // before any program
  ran_on(store, program, none);
  ran_on(store, program, full);
  CHECK(ids() == std::vector<store::Id>{full, gpu});
  CHECK(store.environments.by_device().front().sandbox == "full: user");
  CHECK(store.environments.by_device().front().device == "cpu");
  ran_on(store, program, none);
  CHECK(ids() == std::vector<store::Id>{none, gpu});
}

TEST_CASE("time without new programs is not active time") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.tally.active_since(0) == 0);
  const auto at = [&](const std::string& identity, store::Millis created) {
    auto row = a_program(identity);
    row.created_at = created;
    return added(store, row).id;
  };
  const auto first = at("a", 1'000);
  CHECK(store.tally.active_since(0) == 0);
  at("b", 61'000);
  at("c", 61'000 + 601'000);  // after a pause
  at("d", 61'000 + 601'000 + 30'000);
  auto repair = a_program("e");
  repair.root = repair.parent.emplace(first);
  repair.round = 1;
  repair.created_at = 90'000;
  added(store, repair);
  CHECK(store.tally.active_since(0) == 90'000);
  CHECK(store.tally.active_since(61'000) == 30'000);
}

TEST_CASE("costs are summed by provider and strategy, the most expensive first") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.spending.since(0).empty());
  a_reply(store, "builtin", "mutant", store::ReplyState::answered, 0);
  a_reply(store, "mine", "views", store::ReplyState::answered, 100);
  a_reply(store, "mine", "views", store::ReplyState::failed, 50);
  a_reply(store, "mine", "dtypes", store::ReplyState::unknown, 0);  // stays charged at its reservation
  const auto rows = store.spending.since(5'000);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].strategy == "dtypes");
  CHECK(rows[0].nano_dollars == 900);
  CHECK(rows[0].failed == 1);
  CHECK(rows[1].provider == "mine");
  CHECK(rows[1].strategy == "views");
  CHECK(rows[1].replies == 2);
  CHECK(rows[1].failed == 1);
  CHECK(rows[1].nano_dollars == 150);
  CHECK(rows[1].prompt_tokens == 20);
  CHECK(rows[1].completion_tokens == 6);
  CHECK(rows[2].provider == "builtin");
  CHECK(store.spending.since(5'001).empty());
}

TEST_CASE("valid programs, repaired ones once, and findings are counted for the reply that was charged") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto paid = a_reply(store, "mine", "views", store::ReplyState::answered, 100);
  const auto other = a_reply(store, "other", "views", store::ReplyState::answered, 300);
  auto first = a_program("first");
  first.reply = paid;
  first = added(store, first);
  store.programs.update(finished(first, oracle::VerdictKind::invalid));
  auto mended = a_program("mended");
  mended.reply = other;  // another provider repaired it
  mended.parent = mended.root = first.id;
  mended.round = 1;
  mended = added(store, mended);
  store.programs.update(finished(mended, oracle::VerdictKind::inconsistent));
  auto worthless = a_program("worthless");
  worthless.reply = other;
  store.programs.update(finished(added(store, worthless), oracle::VerdictKind::invalid));
  store.findings.add(a_finding(mended.id, "one"));
  const auto rows = store.spending.since(0);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].provider == "other");
  CHECK(rows[0].valid == 0);
  CHECK(rows[0].findings == 0);
  CHECK(rows[1].provider == "mine");
  CHECK(rows[1].nano_dollars == 100);
  CHECK(rows[1].valid == 1);
  CHECK(rows[1].findings == 1);
}

TEST_CASE("every field of a reply's usage is stored, and an unknown outcome is charged its possible cost") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store::ReplyRow row{.provider = "p", .model = "m", .strategy = "s", .purpose = store::ReplyPurpose::generate};
  row.reserved_nano_dollars = 900;
  row.reserved_at = 5'000;
  row.id = store.replies.reserve(row);
  row.state = store::ReplyState::unknown;
  row.prompt_tokens = 10;
  row.cached_tokens = 4;
  row.cache_write_tokens = 3;
  row.completion_tokens = 8;
  row.reasoning_tokens = 7;
  row.usage_estimated = true;
  row.cost_nano_dollars = row.reserved_nano_dollars = 450;  // one of two attempts reached the server
  store.replies.end(row);
  const auto stored = store.replies.find(row.id).value();
  CHECK(stored.cache_write_tokens == 3);
  CHECK(stored.reasoning_tokens == 7);
  CHECK(stored.usage_estimated);
  CHECK(store.replies.spent_since(0) == 450);
}

TEST_CASE("repairs are counted by class and round with their results") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto invalid = [&](const std::string& identity, const std::string& error) {
    auto row = finished(added(store, a_program(identity)), oracle::VerdictKind::invalid);
    row.error_key = error;
    store.programs.update(row);
    return row.id;
  };
  const auto answered = [&](store::Id parent, int round, oracle::VerdictKind verdict, const std::string& error) {
    auto row = a_program("answer to " + std::to_string(parent));
    row.root = row.parent.emplace(parent);
    row.round = round;
    row = finished(added(store, row), verdict);
    row.error_key = error;
    store.programs.update(row);
    return row.id;
  };
  const auto first = invalid("a", "sizes");
  const auto second = invalid("b", "sizes");
  const auto third = invalid("c", "dtypes");
  const auto died = invalid("d", "");
  for (const auto id : {first, second, third}) {
    store.repairs.add(id, "shape", 1, store::RepairResult::asked, 5'000);
    store.repairs.end(id, store::RepairResult::program);
  }
  store.repairs.add(died, "died", 1, store::RepairResult::declined, 5'000);
  answered(first, 1, oracle::VerdictKind::consistent, "");
  answered(second, 1, oracle::VerdictKind::invalid, "sizes");
  const auto again = answered(third, 1, oracle::VerdictKind::invalid, "other");
  store.repairs.add(again, "shape", 2, store::RepairResult::asked, 6'000);
  store.repairs.add(again, "shape", 2, store::RepairResult::asked, 6'500);  // once more after a restart
  store.repairs.end(again, store::RepairResult::lost_operators);

  const auto rows = store.repairs.yield_since(0);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].error_class == "died");
  CHECK(rows[0].asked == 0);
  CHECK(rows[0].declined == 1);
  CHECK(rows[1].error_class == "shape");
  CHECK(rows[1].round == 1);
  CHECK(rows[1].asked == 3);
  CHECK(rows[1].programs == 3);
  CHECK(rows[1].valid == 1);
  CHECK(rows[1].same_error == 1);
  CHECK(rows[2].round == 2);
  CHECK(rows[2].asked == 1);
  CHECK(rows[2].lost_operators == 1);
  CHECK(store.repairs.yield_since(6'000).size() == 1);
  CHECK(store.repairs.class_of(first) == "shape");
  CHECK(store.repairs.class_of(999).empty());
}

TEST_CASE("only consistent programs are parents, newest first") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const auto& [identity, verdict] :
       {std::pair{"a", oracle::VerdictKind::consistent}, std::pair{"b", oracle::VerdictKind::invalid},
        std::pair{"c", oracle::VerdictKind::consistent}}) {
    auto row = a_program(identity);
    row.text = identity;
    store.programs.update(finished(added(store, row), verdict));
  }
  CHECK(store.programs.recent_valid(5) == std::vector<std::string>{"c", "a"});
  CHECK(store.programs.recent_valid(1) == std::vector<std::string>{"c"});
}

TEST_CASE("replies are counted by their content") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  for (const char* klass : {"program", "refusal", "program"}) {
    const auto id = a_reply(store, "mine", "views", store::ReplyState::answered, 100);
    store.replies.mark_processed(id, klass);
  }
  const auto rows = store.replies.classes_since(0);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].klass == "program");
  CHECK(rows[0].replies == 2);
  CHECK(rows[1].klass == "refusal");
}

TEST_CASE("a database of schema 1 is migrated with every row") {
  const Folder folder;
  make_schema_1(folder.database());
  {
    const SQLite::Database before(folder.database().string());
    CHECK_FALSE(before.tableExists("worker_seconds"));
  }
  try {
    const store::Store store(folder.database(), store::Access::read);
    FAIL("a reader opened a schema that it does not know");
  } catch (const store::StoreError& error) {
    CHECK(std::string(error.what()).find("`parityd run` upgrades it") != std::string::npos);
  }
  {
    store::Store store(folder.database(), store::Access::write);
    CHECK(store.tally.all().programs == 3);
    CHECK(store.tally.all().inconsistent == 1);
    CHECK(store.tally.all().queued == 1);
    CHECK(store.programs.find(1)->verdict->leaves == std::vector<std::string>{"output[0]"});
    CHECK(store.programs.find(2)->text == "class Model: 2");
    REQUIRE(store.findings.list({.text = "a title"}).size() == 1);  // the search index too
    CHECK(store.findings.find(1)->occurrences == 1);
    REQUIRE(store.examinations.of(1).size() == 1);
    CHECK(store.examinations.of(1).front().purpose == store::Examination::confirmation);
    CHECK(store.programs.find(3)->state == store::ProgramState::confirming);  // the words of schema 32
    CHECK(store.programs.find(3)->origin == store::Origin::residual);
    CHECK(store.tally.all().confirming == 1);
    CHECK(store.programs.find(1)->confirmation_hits == 3);
    CHECK(store.findings.find(1)->trigger == oracle::Trigger::unknown);
    REQUIRE(store.environments.by_device().size() == 1);
    CHECK(store.environments.by_device().front().sandbox == "user, pid");
    CHECK(store.events.recent(9).size() == 1);
    store.workers.set_history(2, {1});
    store.workers.add_seconds({{"cpu", "eager", 1}}, 0);
    CHECK(store.workers.seconds(0).size() == 1);
  }
  SQLite::Database database(folder.database().string());
  CHECK(database.execAndGet("PRAGMA user_version").getInt() == store::migrations().back().version);
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
  CHECK(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt() == 0);
  CHECK(database.execAndGet("SELECT programs_before FROM v_state_dependent").getInt() == 1);
  SQLite::Database copy(folder.database().string() + ".schema-1.backup");
  CHECK(copy.execAndGet("PRAGMA user_version").getInt() == 1);
  CHECK(copy.execAndGet("SELECT count(*) FROM programs").getInt() == 3);
  CHECK_FALSE(copy.tableExists("worker_seconds"));
}
