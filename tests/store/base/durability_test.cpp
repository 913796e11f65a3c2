// What was acknowledged is there afterwards, and nothing else.
#include <SQLiteCpp/SQLiteCpp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

/// Adds programs, each with a suspect's worth of rows, in transactions; writes a byte to `acknowledge` after each.
[[noreturn]] void write_until_killed(const std::filesystem::path& file, const std::string& prefix, int acknowledge) {
  try {
    store::Store store(file, store::Access::write);
    for (int number = 0;; ++number) {
      store.transaction([&] {
        const auto program = added(store, a_program(prefix + std::to_string(number)));
        store.examinations.add({.program = program.id, .purpose = store::Examination::screen});
        store.programs.update(finished(program, oracle::VerdictKind::consistent));
      });
      if (write(acknowledge, "x", 1) != 1) _exit(2);
    }
  } catch (...) {
    _exit(3);
  }
}

/// Lets a child write until `kill_after` acknowledgements were read, kills it, and returns how many it gave in all.
int acknowledged_before_kill(const std::filesystem::path& file, const std::string& prefix, int kill_after) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    write_until_killed(file, prefix, ends[1]);
  }
  close(ends[1]);
  int acknowledged = 0;
  char byte = 0;
  while (acknowledged < kill_after && read(ends[0], &byte, 1) == 1) ++acknowledged;
  kill(child, SIGKILL);
  while (read(ends[0], &byte, 1) == 1) ++acknowledged;
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  return acknowledged;
}

}  // namespace

TEST_CASE("after kill -9 during writes the store has every acknowledged row and no partial one") {
  const Folder folder;
  std::int64_t acknowledged = 0;
  constexpr int kKills = 6;
  for (int round = 0; round < kKills; ++round) {
    const std::string prefix = "round " + std::to_string(round) + " program ";
    const int count = acknowledged_before_kill(folder.database(), prefix, 3 + round * 7);
    acknowledged += count;
    const store::Store store(folder.database(), store::Access::write);
    for (int number = 0; number < count; ++number) {
      const auto id = store.programs.by_identity(prefix + std::to_string(number));
      REQUIRE(id);
      REQUIRE(store.examinations.of(*id).size() == 1);
    }
    const auto counts = store.tally.all();
    CHECK(counts.programs >= acknowledged);
    CHECK(counts.programs <= acknowledged + round + 1);  // a commit may have missed its acknowledgement
    CHECK(counts.consistent == counts.programs);
    CHECK(counts.programs ==
          static_cast<std::int64_t>(store.programs.in_state(store::ProgramState::finished, 1'000'000).size()));
    acknowledged = counts.programs;
  }
  SQLite::Database database(folder.database().string());
  CHECK(database.execAndGet("PRAGMA integrity_check").getString() == "ok");
  CHECK(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt() == 0);
}

TEST_CASE("a transaction that throws changes nothing") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  CHECK_THROWS_AS(store.transaction([&] {
    (void)store.programs.add(a_program("a"));
    store.events.add("info", "x", "y", 1);
    throw std::runtime_error("no");
  }),
                  std::runtime_error);
  CHECK(store.tally.all().programs == 0);
  CHECK(store.events.recent(5).empty());
  CHECK(store.programs.add(a_program("a")));
}

TEST_CASE("an inner transaction joins the outer one") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  SECTION("both or neither") {
    CHECK_THROWS_AS(store.transaction([&] {
      store.transaction([&] { (void)store.programs.add(a_program("a")); });
      throw std::runtime_error("no");
    }),
                    std::runtime_error);
    CHECK(store.tally.all().programs == 0);
  }
  SECTION("a failure that was swallowed still takes all of it back") {
    const auto fail = [&] {
      (void)store.programs.add(a_program("a"));
      throw std::runtime_error("no");
    };
    const auto outer = [&] {
      try {
        store.transaction(fail);
      } catch (const std::runtime_error&) {
      }
    };
    CHECK_THROWS_AS(store.transaction(outer), store::StoreError);
    CHECK(store.tally.all().programs == 0);
    store.transaction([&] { (void)store.programs.add(a_program("b")); });
    CHECK(store.tally.all().programs == 1);
  }
}

TEST_CASE("a reader sees committed data and cannot write") {
  const Folder folder;
  store::Store writer(folder.database(), store::Access::write);
  store::Store reader(folder.database(), store::Access::read);
  writer.transaction([&] {
    (void)writer.programs.add(a_program("a"));
    CHECK(reader.tally.all().programs == 0);
  });
  CHECK(reader.tally.all().programs == 1);
  CHECK_THROWS_AS(reader.events.add("info", "x", "y", 1), store::StoreError);
  CHECK_THROWS_AS(reader.programs.add(a_program("b")), store::StoreError);
}

TEST_CASE("a violation of the schema is refused and named") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  try {
    store.examinations.add_oddity(12, "flaky", "no such program", 1);
    FAIL("a row without its program was taken");
  } catch (const store::StoreError& error) {
    const std::string text = error.what();
    CHECK(text.find(folder.database().string()) != std::string::npos);
    CHECK(text.find("save an oddity") != std::string::npos);
    CHECK(text.find("FOREIGN KEY") != std::string::npos);
  }
}
