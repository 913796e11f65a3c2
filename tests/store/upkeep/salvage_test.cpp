// Flipped bytes on pages of every kind: noticed or without effect elsewhere, and what is whole is saved.
#include "store/upkeep/salvage.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "store/base/schema.h"
#include "store/upkeep/check.h"
#include "tests/catch.h"
#include "tests/store/busy_minute.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

constexpr store::Millis kNow = 1'800'000'000'000;

/// 1000 by hand: PARITYD_SEEDS=1000.
int seeds() {
  const char* asked = std::getenv("PARITYD_SEEDS");
  return asked != nullptr ? std::atoi(asked) : 20;
}

/// Some hundred pages of all kinds: trees of several levels, overflow, free pages, index entries.
void fill(const std::filesystem::path& file) {
  store::Store store(file, store::Access::write);
  std::vector<int> acknowledged;
  BusyMinute(store).run(acknowledged);
  store.transaction([&] {
    for (int number = 0; number < 1500; ++number) {
      auto row = a_program("more " + std::to_string(number));
      row.text = std::string(static_cast<std::size_t>(200 + number % 700), static_cast<char>('a' + number % 26));
      const auto program = added(store, row);
      store.examinations.add({.program = program.id, .purpose = store::Examination::screen});
      store.programs.update(finished(program, oracle::VerdictKind::consistent));
    }
  });
  (void)store.retention.forget_consistent(400, 0, 500);  // leaves free pages
}

struct Page {
  std::string table;  // empty: of an index, of the schema, of what is made again
  std::string kind;   // internal, leaf, overflow
  std::int64_t number = 0;
  std::int64_t rows = 0;  // of facts on it, and of those that refer to them
};

bool is_fact(const std::string& name) {
  static const std::set<std::string> kMadeAgain{"chains", "chain_tally", "reply_tally", "spending"};
  return !name.empty() && !kMadeAgain.contains(name) && !name.starts_with("sqlite_") &&
         !name.starts_with("findings_text");
}

std::vector<std::string> fact_tables(SQLite::Database& database) {
  std::vector<std::string> names;
  SQLite::Statement rows(database, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'");
  while (rows.executeStep()) {
    if (is_fact(rows.getColumn(0).getString())) names.push_back(rows.getColumn(0).getString());
  }
  return names;
}

std::vector<Page> pages_of(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  const auto tables = fact_tables(database);
  std::vector<Page> pages;
  SQLite::Statement rows(database, "SELECT name, pagetype, pageno, ncell FROM dbstat WHERE pageno > 1 ORDER BY pageno");
  while (rows.executeStep()) {
    Page page{.table = rows.getColumn(0).getString(),
              .kind = rows.getColumn(1).getString(),
              .number = rows.getColumn(2).getInt64(),
              .rows = rows.getColumn(3).getInt64()};
    if (std::find(tables.begin(), tables.end(), page.table) == tables.end()) page.table.clear();
    if (page.kind == "overflow") page.rows = 1;
    if (page.table == "examinations") page.rows *= 2;  // each has a verdict, which cannot stay without it
    pages.push_back(page);
  }
  return pages;
}

/// All facts, row by row.
std::map<std::string, std::set<std::string>> facts_of(const std::filesystem::path& file) {
  SQLite::Database database(file.string());
  std::map<std::string, std::set<std::string>> facts;
  for (const auto& table : fact_tables(database)) {
    SQLite::Statement rows(database, "SELECT * FROM " + table);
    while (rows.executeStep()) {
      std::string text;
      for (int column = 0; column < rows.getColumnCount(); ++column) text += rows.getColumn(column).getString() + "|";
      facts[table].insert(text);
    }
  }
  return facts;
}

std::int64_t size_of(const std::map<std::string, std::set<std::string>>& facts) {
  std::int64_t count = 0;
  for (const auto& [table, rows] : facts) count += static_cast<std::int64_t>(rows.size());
  return count;
}

std::int64_t missing(const std::map<std::string, std::set<std::string>>& before,
                     const std::map<std::string, std::set<std::string>>& after) {
  std::int64_t count = 0;
  for (const auto& [table, rows] : before) {
    for (const auto& row : rows) count += after.contains(table) && after.at(table).contains(row) ? 0 : 1;
  }
  return count;
}

void scramble(const std::filesystem::path& file, std::int64_t page, std::size_t offset, std::size_t length,
              std::mt19937_64& random) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekp(static_cast<std::streamoff>((page - 1) * 4096 + static_cast<std::int64_t>(offset)));
  for (std::size_t index = 0; index < length; ++index) stream.put(static_cast<char>(random()));
}

std::string damage_in(const std::filesystem::path& file) {
  const std::atomic<bool> never = false;
  return store::what_is_damaged(file, store::CheckDepth::quick, never).value_or("not readable");
}

class Sample {
 public:
  Sample() {
    fill(folder_.database());
    pages = pages_of(folder_.database());
    facts = facts_of(folder_.database());
  }
  void copy_to(const Folder& folder) const { std::filesystem::copy_file(folder_.database(), folder.database()); }

  std::vector<Page> pages;
  std::map<std::string, std::set<std::string>> facts;

 private:
  Folder folder_;
};

/// What is there afterwards; `lost`: rows that the damage itself may have taken.
void check_saved(const Folder& folder, const Sample& sample, std::int64_t lost) {
  const auto saved = store::salvage(folder.database(), kNow);
  CAPTURE(saved.sentence(), lost);
  CHECK(std::filesystem::exists(saved.kept / "parityd.db"));
  { const store::Store opens(folder.database(), store::Access::write); }
  SQLite::Database database(folder.database().string());
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
  CHECK(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt() == 0);
  CHECK(database.execAndGet("SELECT count(*) FROM events WHERE what = 'database_set_aside'").getInt() == 1);
  const std::int64_t undamaged = size_of(sample.facts) - lost;
  CHECK(missing(sample.facts, facts_of(folder.database())) <= lost + undamaged / 100);
}

}  // namespace

TEST_CASE("fault 8: a page with a destroyed header is noticed, and 99 of 100 undamaged rows are saved") {
  const Sample sample;
  REQUIRE(sample.pages.size() > 200);
  std::map<std::string, std::vector<Page>> by_kind;
  for (const Page& page : sample.pages) by_kind[(page.table.empty() ? "index " : "table ") + page.kind].push_back(page);
  REQUIRE(by_kind.contains("table internal"));
  REQUIRE(by_kind.contains("table leaf"));
  REQUIRE(by_kind.contains("table overflow"));
  REQUIRE(by_kind.contains("index leaf"));
  for (int seed = 0; seed < seeds(); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const auto& [kind, pages] = *std::next(by_kind.begin(), seed % static_cast<int>(by_kind.size()));
    const Page& page = pages[random() % pages.size()];
    CAPTURE(seed, kind, page.table, page.number);
    const Folder folder;
    sample.copy_to(folder);
    scramble(folder.database(), page.number, 0, 512, random);
    if (page.kind != "overflow") CHECK_FALSE(damage_in(folder.database()).empty());
    check_saved(folder, sample, page.table.empty() || page.kind == "internal" ? 0 : page.rows);
  }
}

TEST_CASE("fault 8: flipped bytes anywhere are noticed, or change only rows of that page") {
  const Sample sample;
  for (int seed = 0; seed < seeds(); ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const Page& page = sample.pages[random() % sample.pages.size()];
    CAPTURE(seed, page.kind, page.table, page.number);
    const Folder folder;
    sample.copy_to(folder);
    scramble(folder.database(), page.number, random() % 4000, 1 + random() % 64, random);
    if (damage_in(folder.database()).empty()) {
      const std::int64_t on_page = page.table.empty() ? 0 : page.rows;
      CHECK(missing(sample.facts, facts_of(folder.database())) <= on_page);
    } else {
      check_saved(folder, sample, page.kind == "internal" ? 0 : page.rows);
    }
  }
}

TEST_CASE("fault 8: a database with a destroyed first page is saved by the shape of its rows") {
  const Sample sample;
  const Folder folder;
  sample.copy_to(folder);
  std::mt19937_64 random(1);
  scramble(folder.database(), 1, 0, 4096, random);
  CHECK_FALSE(error_of([&] { const store::Store store(folder.database(), store::Access::write); }).empty());
  const auto saved = store::salvage(folder.database(), kNow);
  INFO(saved.sentence());
  const auto after = facts_of(folder.database());
  for (const char* const table : {"programs", "findings", "replies", "drafts"}) {
    CAPTURE(table);
    CHECK(after.contains(table));
    CHECK(after.at(table).size() * 100 >= sample.facts.at(table).size() * 99);
  }
}

TEST_CASE("fault 8: derived counts are correct again") {
  const Sample sample;
  const Folder folder, undamaged;
  sample.copy_to(folder);
  sample.copy_to(undamaged);
  (void)store::salvage(folder.database(), kNow);
  const store::Store saved(folder.database(), store::Access::read);
  const store::Store before(undamaged.database(), store::Access::read);
  CHECK(saved.tally.all().programs == before.tally.all().programs);
  CHECK(saved.tally.all().consistent == before.tally.all().consistent);
  CHECK(saved.tally.all().replies == before.tally.all().replies);
  CHECK(saved.tally.all().findings == before.tally.all().findings);
  CHECK(saved.tally.all().occurrences == before.tally.all().occurrences);
  CHECK(saved.findings.list({.text = "output differs"}).size() ==
        before.findings.list({.text = "output differs"}).size());
}

TEST_CASE("fault 8: a file that is not our database is left unchanged") {
  const Folder folder;
  std::ofstream(folder.database()) << std::string(8192, 'x');
  CHECK(error_of([&] { (void)store::salvage(folder.database(), kNow); }).find("was not changed") != std::string::npos);
  CHECK(std::filesystem::file_size(folder.database()) == 8192);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("fault 8: an interrupted replacement is completed at the next start") {
  const Folder folder, other;
  { const store::Store old(folder.database(), store::Access::write); }
  {
    store::Store fresh(other.database(), store::Access::write);
    fresh.values.set("mark", "new");
  }
  std::filesystem::copy_file(other.database(), folder.database().string() + store::kReplacement);
  std::ofstream(folder.database().string() + "-wal") << "of the old one";
  CHECK(store::finish_replacement(folder.database(), kNow));
  CHECK_FALSE(std::filesystem::exists(folder.database().string() + "-wal"));
  CHECK_FALSE(store::finish_replacement(folder.database(), kNow));
  const store::Store store(folder.database(), store::Access::read);
  CHECK(store.values.find("mark") == "new");
}
