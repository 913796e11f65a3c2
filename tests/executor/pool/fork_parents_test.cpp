#include "executor/pool/group.h"

#include "tests/catch.h"

using namespace parityd::executor;
using std::chrono::seconds;

namespace {

constexpr TimePoint kStart{seconds(1000)};

}  // namespace

TEST_CASE("idle warm workers lend their places to fresh processes, but not between two programs") {
  ForkParents parents(2, 6);
  parents.observe(3, 2, kStart);
  CHECK(parents.allowed() == 2);
  CHECK(parents.next() == kStart + seconds(2));
  parents.observe(0, 2, kStart + seconds(1));
  CHECK(parents.next() == std::nullopt);
  parents.observe(3, 2, kStart + seconds(2));
  parents.observe(3, 2, kStart + seconds(3));
  CHECK(parents.allowed() == 2);
  parents.observe(3, 2, kStart + seconds(4));
  CHECK(parents.allowed() == 5);
  CHECK(parents.wanted() == 2);  // no job has come for the others
  parents.observe(6, 2, kStart + seconds(5));
  CHECK(parents.allowed() == 6);  // no more than there are warm workers
}

TEST_CASE("extra fork parents start with their jobs and stay for a minute after them") {
  ForkParents parents(2, 6);
  parents.observe(6, 0, kStart);
  parents.observe(6, 5, kStart + seconds(3));
  CHECK(parents.wanted() == 5);
  CHECK(parents.next() == kStart + seconds(63));
  parents.observe(0, 3, kStart + seconds(20));
  CHECK(parents.allowed() == 2);
  CHECK(parents.wanted() == 5);
  parents.observe(0, 3, kStart + seconds(63));
  CHECK(parents.wanted() == 2);
  CHECK(parents.next() == std::nullopt);
}

TEST_CASE("a group has at most as many fork parents as warm workers") {
  ForkParents parents(3, 3);
  parents.observe(3, 9, kStart);
  parents.observe(3, 9, kStart + seconds(9));
  CHECK(parents.allowed() == 3);
  CHECK(parents.wanted() == 3);
  CHECK(parents.next() == std::nullopt);
}
