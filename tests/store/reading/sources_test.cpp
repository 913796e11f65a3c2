// The sources of torches under test, and what readings of them brought.
#include "store/reading/sources.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "store/base/content.h"
#include "store/base/schema.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

store::SourceUnitRow a_unit(const std::string& file, const std::string& name, const std::string& text) {
  return {.file = file,
          .name = name,
          .area = "lowerings",
          .first_line = 10,
          .code = "code of " + text,
          .registers = {"register_lowering(aten." + name + ")"},
          .operators = {"aten." + name},
          .calls = {{"_inductor/utils.py", "is_small"}},
          .text = text};
}

store::Id a_reply(store::Store& store) {
  store::ReplyRow row{.provider = "mine", .model = "m", .strategy = "source", .purpose = store::ReplyPurpose::generate};
  return store.replies.reserve(row);
}

store::ProgramRow of_reply(const std::string& identity, store::Id reply) {
  store::ProgramRow row = a_program(identity);
  row.reply = reply;
  return row;
}

}  // namespace

TEST_CASE("sources: texts are stored compressed") {
  std::string text;
  for (int line = 0; line < 5000; ++line) text += "    x = promoted(x, " + std::to_string(line) + ")\n";
  const std::string bytes = store::compressed(text);
  CHECK(bytes.size() < text.size() / 4);
  CHECK(store::decompressed(bytes) == text);
  CHECK(store::decompressed(store::compressed("")).empty());
  CHECK_THROWS_WITH(store::decompressed(bytes.substr(0, bytes.size() / 2)), "incomplete zlib stream");
  CHECK_THROWS_WITH(store::decompressed("not compressed"), "incomplete zlib stream");
}

TEST_CASE("sources: units of a torch are stored with their texts, each text once") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto old = store.sources.torch_id("2.13.0", 1'000);
  CHECK(store.sources.torch_id("2.13.0", 2'000) == old);
  store.sources.put_file(old, "a.py",
                         {a_unit("a.py", "amax", "def amax(): 1\n"), a_unit("a.py", "amin", "def amin(): 1\n")});
  store.sources.put_file(old, "b.py", {a_unit("b.py", "gone", "def gone(): 1\n")});
  CHECK(store.sources.torches().front().fingerprint.empty());
  store.sources.end_reading(old, "f", {"a.py"}, 3'000);

  const auto units = store.sources.units(old);
  REQUIRE(units.size() == 2);
  CHECK(units[0].name == "amax");
  CHECK(units[0].operators == std::vector<std::string>{"aten.amax"});
  CHECK(units[0].calls.front().second == "is_small");
  CHECK(units[0].lines == 1);
  CHECK(store.sources.text(units[0].text_hash) == "def amax(): 1\n");
  CHECK(store.sources.torches().front().fingerprint == "f");

  const auto next = store.sources.torch_id("2.14.1", 4'000);
  store.sources.put_file(next, "a.py",
                         {a_unit("a.py", "amax", "def amax(): 1\n"), a_unit("a.py", "amin", "def amin(): 2\n")});
  store.sources.end_reading(next, "g", {"a.py"}, 4'000);
  CHECK(store.sources.units(next)[0].text_hash == units[0].text_hash);
  CHECK(store.sources.text(units[1].text_hash) == "def amin(): 1\n");
  SQLite::Database database(folder.database().string());
  CHECK(database.execAndGet("SELECT count(*) FROM source_texts").getInt() == 3);
}

TEST_CASE("sources: guarantees of eager are stored by torch") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto torch = store.sources.torch_id("2.13.0", 1'000);
  store.sources.put_promise(torch, "aten.amax", "old");
  store.sources.put_promise(torch, "aten.amax", "new");
  CHECK(store.sources.promise(torch, "aten.amax") == "new");
  CHECK(store.sources.promise(torch, "aten.amin").empty());
}

TEST_CASE("readings: the yield of each reading comes from its programs") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto reply = a_reply(store);
  const std::vector<store::ReadUnit> units{{"a.py", "amax", "1"}, {"a.py", "amin", "2"}};
  store.readings.add(
      {.reply = reply, .kind = "chapter", .chapter = "k", .torch = "2.13.0", .at = 5'000, .units = units});
  CHECK(store.readings.of(reply)->units.size() == 2);
  CHECK_FALSE(store.readings.of(reply + 1));

  auto agrees = added(store, of_reply("one", reply));
  store.programs.update(finished(agrees, oracle::VerdictKind::consistent));
  auto differs = added(store, of_reply("two", reply));
  store.programs.update(finished(differs, oracle::VerdictKind::inconsistent));
  const auto finding = store.findings.add(a_finding(differs.id, "hash"));
  store.groups.add_occurrence(finding, differs.id, "first", 6'000);
  store.hypotheses.put(reply, 1, "amax is wrong", agrees.id);
  store.hypotheses.put(reply, 2, "amin is wrong", differs.id);
  store.hypotheses.put(reply, 3, "both are", std::nullopt);

  const auto read = store.readings.unit_readings();
  REQUIRE(read.size() == 2);
  CHECK(read[0].readings == 1);
  CHECK(read[0].programs == 2);
  CHECK(read[0].inconsistent == 1);
  CHECK(read[0].ready == 1);
  CHECK(read[0].last_at == 5'000);

  const auto told = store.hypotheses.of_reply(reply);
  REQUIRE(told.size() == 3);
  CHECK(told[0].outcome == "compiled agrees with eager");
  CHECK(told[1].outcome == "shown: compiled differs");
  CHECK(told[2].outcome == "no program");
  CHECK(store.hypotheses.of_program(differs.id)->text == "amin is wrong");
  CHECK(store.hypotheses.about({{"a.py", "amin", "changed since"}}, 2).size() == 2);
  CHECK(store.hypotheses.about({{"b.py", "amin", "2"}}, 10).empty());
}

TEST_CASE("readings: a reply is read again after a restart") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto reply = a_reply(store);
  const auto program = added(store, of_reply("one", reply));
  store.hypotheses.put(reply, 1, "wrong", program.id);
  store.hypotheses.put(reply, 1, "wrong", std::nullopt);  // the program was known by then
  REQUIRE(store.hypotheses.of_reply(reply).size() == 1);
  CHECK(store.hypotheses.of_program(program.id).has_value());
}

TEST_CASE("readings: the share of each area that was read is counted") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto torch = store.sources.torch_id("2.13.0", 1'000);
  store.sources.put_file(torch, "a.py",
                         {a_unit("a.py", "amax", "1"), a_unit("a.py", "amin", "2"), a_unit("a.py", "x", "3")});
  store.readings.add({.reply = a_reply(store),
                      .kind = "chapter",
                      .chapter = "k",
                      .torch = "2.13.0",
                      .at = 5'000,
                      .units = {{"a.py", "amax", "code of 1"}, {"a.py", "amin", "as it was"}}});
  const auto areas = store.readings.areas_read(torch);
  REQUIRE(areas.size() == 1);
  CHECK(areas[0].area == "lowerings");
  CHECK(areas[0].units == 3);
  CHECK(areas[0].read == 2);
  CHECK(areas[0].read_as_is == 1);
  CHECK(areas[0].fruitful == 0);
}

TEST_CASE("readings: each function has its reading state and whether it changed since") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto before = store.sources.torch_id("2.13.0", 1'000);
  store.sources.put_file(before, "a.py", {a_unit("a.py", "amax", "1"), a_unit("a.py", "amin", "2")});
  const auto torch = store.sources.torch_id("2.14.1", 2'000);
  store.sources.put_file(torch, "a.py",
                         {a_unit("a.py", "amax", "1"), a_unit("a.py", "amin", "another"), a_unit("a.py", "new", "3")});
  store.sources.put_file(torch, "b.py", {a_unit("b.py", "other", "4")});
  store.readings.add({.reply = a_reply(store),
                      .kind = "chapter",
                      .chapter = "k",
                      .torch = "2.13.0",
                      .at = 5'000,
                      .units = {{"a.py", "amax", "code of 1"}, {"a.py", "amin", "code of 2"}}});
  const auto units = store.readings.units_read(torch, before, "a.py");
  REQUIRE(units.size() == 3);
  CHECK(units[0].name == "amax");
  CHECK_FALSE(units[0].changed);
  CHECK(units[0].as_is == 1);
  CHECK(units[1].changed);
  CHECK(units[1].readings == 1);
  CHECK(units[1].as_is == 0);
  CHECK(units[2].changed);
  CHECK(store.readings.units_read(torch, before, "").size() == 4);
  CHECK_FALSE(store.readings.units_read(torch, std::nullopt, "b.py")[0].changed);
}

TEST_CASE("sources: the source in use is the one that the daemon chose, before that the one read last") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK_FALSE(store.sources.in_use());
  std::vector<store::Id> torches;
  for (const char* version : {"2.11.0", "2.13.0", "2.14.1"}) {
    torches.push_back(store.sources.torch_id(version, 1'000));
    store.sources.end_reading(torches.back(), "f", {}, 2'000);
  }
  CHECK(store.sources.in_use()->torch.torch == "2.14.1");
  CHECK(store.sources.in_use()->before->torch == "2.13.0");
  store.sources.set_in_use(torches[1], torches[2]);  // an older one is tested again, beside the newest
  CHECK(store.sources.in_use()->torch.torch == "2.13.0");
  CHECK(store.sources.in_use()->before->torch == "2.14.1");
  store.sources.set_in_use(torches[1], std::nullopt);
  CHECK_FALSE(store.sources.in_use()->before);
}

TEST_CASE("sources: a database of schema 26 gets the new tables and keeps its programs") {
  const Folder folder;
  auto known = store::migrations();
  REQUIRE(known.size() >= 27);
  {
    SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    store::migrate(database, folder.database(), {known.begin(), known.begin() + 26});
    database.exec(
        "INSERT INTO programs (identity, origin, source, strategy, root, round, state, next_step, why, gate_hits, "
        "gate_rounds, options, error_key, created_at, finished_at, text) VALUES ('old', 'reply', '', '', 1, 0, "
        "'queued', '', '', 0, 0, '{}', '', 1, 0, 'class Model: pass')");
  }
  store::Store store(folder.database(), store::Access::write);
  CHECK(store.programs.by_identity("old").has_value());
  CHECK(store.sources.torches().empty());
}
