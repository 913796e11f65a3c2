// Features of the compiler: the first to show one is kept, what a torch lists and nobody showed is told.
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/store/fixture.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

const store::CoverageRow* of_kind(const std::vector<store::CoverageRow>& rows, const std::string& kind) {
  for (const auto& row : rows) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("a feature is new only once, whatever shows it later") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto one = added(store, finished(a_program("a"), oracle::VerdictKind::consistent));
  const auto two = added(store, finished(a_program("b"), oracle::VerdictKind::consistent));
  CHECK(store.coverage.note(one.id, {"guard:GRAD_MODE", "lowering:aten.sin.default"}, 1) == 2);
  CHECK(store.coverage.note(two.id, {"lowering:aten.cos.default", "lowering:aten.sin.default"}, 2) == 1);
  CHECK(store.coverage.note(two.id, {"lowering:aten.cos.default"}, 3) == 0);
  CHECK(store.coverage.first_programs() == std::vector<store::Id>{one.id, one.id, two.id});
  const auto sources = store.coverage.by_source();
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].programs == 2);
  CHECK(sources[0].with_new == 2);
  CHECK(sources[0].features == 3);
}

TEST_CASE("a feature of a rolled-back transaction is new again") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::consistent));
  CHECK_THROWS(store.transaction([&] {
    CHECK(store.coverage.note(program.id, {"guard:GRAD_MODE"}, 1) == 1);
    CHECK(store.coverage.note(program.id, {"guard:GRAD_MODE"}, 1) == 0);
    throw std::runtime_error("taken back");
  }));
  CHECK(store.coverage.note(program.id, {"guard:GRAD_MODE"}, 2) == 1);
  CHECK(store.coverage.note(program.id, {"guard:GRAD_MODE"}, 3) == 0);
  CHECK(store.coverage.note(program.id, {"guard:GRAD_MODE", "guard:OTHER"}, 4) == 1);
  CHECK(store.coverage.first_programs().size() == 2);
}

TEST_CASE("each feature that a torch lists is reached or not") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::consistent));
  store.coverage.list({"lowering:aten.cos.default", "lowering:aten.sin.default"});
  store.coverage.list({"lowering:aten.sin.default", "pattern:pad_mm"});
  CHECK(store.coverage.note(program.id, {"lowering:aten.sin.default", "lowering:mine.own.default"}, 1) == 2);
  const auto rows = store.coverage.by_kind();
  const auto* const lowering = of_kind(rows, "lowering");
  REQUIRE(lowering != nullptr);
  CHECK(lowering->reached == 2);
  CHECK(lowering->listed == 2);
  CHECK(lowering->reached_of_listed == 1);
  CHECK(store.coverage.never_reached("lowering") == std::vector<std::string>{"lowering:aten.cos.default"});
  CHECK(store.coverage.never_reached("pattern") == std::vector<std::string>{"pattern:pad_mm"});
}

TEST_CASE("an arm of the scheduler keeps its latest values") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  store.arms.set({.name = "strategy/b", .reward = 1, .cost = 0.5, .pulls = 1}, 1);
  store.arms.set({.name = "strategy/a", .reward = 1, .cost = 0.5, .pulls = 1}, 2);
  store.arms.set({.name = "strategy/b", .reward = 2.5, .cost = 0.75, .pulls = 2}, 3);
  const auto arms = store.arms.all();
  REQUIRE(arms.size() == 2);
  CHECK(arms[0].name == "strategy/a");
  CHECK(arms[1].reward == 2.5);
  CHECK(arms[1].cost == 0.75);
  CHECK(arms[1].pulls == 2);
}

TEST_CASE("names that no worker produces are omitted") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::consistent));
  CHECK(store.coverage.note(program.id, {"no kind", "", ":none", "guard:" + std::string(300, 'x')}, 1) == 0);
  std::vector<std::string> flood;
  flood.reserve(600);
  for (int number = 0; number < 600; ++number) flood.push_back("guard:" + std::to_string(number));
  CHECK(store.coverage.note(program.id, flood, 1) == 500);
}
