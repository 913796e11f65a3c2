// Rows 14, 16 and 34: memory, output, processor time.
#include <unistd.h>

#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::attacks;
using nlohmann::json;

TEST_CASE("row 14: memory by heap, memfd and shared memory folder") {
  const Told attack = Attack("row_14_memory_bomb", {{"fill", true}}).finish();
  CHECK(attack.outcome("heap") == "denied");
  CHECK(attack.outcome("memory file") == "denied");
  CHECK(attack.outcome("shared memory folder") == "denied");
  CHECK(attack.detail("first to go") == "1000");  // for what no limit counts, as mappings shared between processes
  const Told open = Attack("row_14_memory_bomb", {{"fill", false}}, {"--without", "rlimits"}).finish();
  CHECK(open.outcome("heap") == "passed");
  CHECK(open.outcome("memory file") == "passed");
  CHECK(open.detail("first to go") == "1000");  // no layer: the launcher, at every level
}

TEST_CASE("row 14: what started the launcher cannot decide which process the kernel kills first") {
  const std::vector<std::string> lowers{"sh", "-c", R"sh(until grep -q 1000 "/proc/$$/oom_score_adj"; do :; done
echo 0 > "/proc/$$/oom_score_adj"; exec "$@")sh",
                                        "sh"};  // once our own word has come
  const Told open = Attack("row_14_memory_bomb", {{"fill", false}}, {"--without", "rlimits"}, lowers).finish();
  CHECK(open.detail("first to go") == "1000");
}

TEST_CASE("row 16: a flood of output") {
  const Told attack = Attack("row_16_flood", json::object()).finish();
  CHECK(attack.outcome("flood") == "passed");
  CHECK(attack.output().size() < (std::size_t{2} << 20));
  CHECK(attack.output().find("bytes of output dropped") != std::string::npos);
}

TEST_CASE("row 34: priority, real-time scheduling, affinity and OOM score") {
  const Victim victim;
  const Told attack = Attack("row_34_priority", {{"victim", victim.pid()}}).finish();
  CHECK(attack.passed().empty());
  if (getuid() == 0) {
    const Told open = Attack("row_34_priority", {{"victim", victim.pid()}}, {"--sandbox", "none"}).finish();
    CHECK(open.outcome("affinity of others") == "passed");
  }
}
