// What PyTorch's debugging tools told: kept by content, the newest of a tool shown.
#include <SQLiteCpp/SQLiteCpp.h>

#include "fixture.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::tests;

namespace {

store::InspectionRow told(store::Id finding, const std::string& tool, const std::string& text, store::Millis at = 1) {
  return {.finding = finding, .tool = tool, .torch = "2.13.0", .device = "cpu", .text = text, .at = at};
}

int blobs(const Folder& folder) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  return database.execAndGet("SELECT count(*) FROM blobs").getInt();
}

}  // namespace

TEST_CASE("the newest text of a tool is shown, and the same text is kept once") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  const auto one = store.add_finding(a_finding(program.id, "one"));
  const auto two = store.add_finding(a_finding(program.id, "two"));
  CHECK_FALSE(store.inspection(one, "guards"));
  store.add_inspection(told(one, "guards", "same"));
  store.add_inspection(told(two, "guards", "same"));
  CHECK(blobs(folder) == 1);
  store.add_inspection(told(one, "guards", "newer", 2));
  store.add_inspection(told(one, "trace", "other"));
  CHECK(blobs(folder) == 3);
  const auto newest = store.inspection(one, "guards");
  REQUIRE(newest);
  CHECK(newest->text == "newer");
  CHECK(newest->at == 2);
  CHECK(newest->torch == "2.13.0");
  CHECK(newest->hash.size() == 32);
  CHECK(store.inspection(two, "guards")->text == "same");
  CHECK(store.tools_run(one) == std::vector<std::string>{"guards", "trace"});
  CHECK_THROWS_AS(store.add_inspection(told(99, "guards", "x")), store::StoreError);
  CHECK(blobs(folder) == 3);
}

TEST_CASE("ready findings that lack a tool are to be inspected, the worst first") {
  const Folder folder;
  store::Store store(folder.database(), store::Access::write);
  const auto program = added(store, finished(a_program("a"), oracle::VerdictKind::inconsistent));
  auto row = a_finding(program.id, "minor");
  row.disposition = "ready";
  row.severity = 2;
  const auto minor = store.add_finding(row);
  row.signature.hash = "major";
  row.severity = 1;
  const auto major = store.add_finding(row);
  row.signature.hash = "held";
  row.disposition = "held(stride)";
  (void)store.add_finding(row);
  CHECK(store.findings_to_inspect(2, 10) == std::vector<store::Id>{major, minor});
  CHECK(store.findings_to_inspect(2, 1) == std::vector<store::Id>{major});
  store.add_inspection(told(major, "guards", "a"));
  store.add_inspection(told(major, "guards", "b"));
  CHECK(store.findings_to_inspect(2, 10) == std::vector<store::Id>{major, minor});
  store.add_inspection(told(major, "trace", "c"));
  CHECK(store.findings_to_inspect(2, 10) == std::vector<store::Id>{minor});
}
