#include "executor/process/interest.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <system_error>
#include <unordered_set>
#include <vector>

#include "tests/catch.h"

using namespace parityd::executor;

namespace {

struct Ends {
  Ends() {
    std::array<int, 2> numbers{};
    REQUIRE(pipe(numbers.data()) == 0);
    read = Descriptor(numbers[0]);
    write = Descriptor(numbers[1]);
  }
  void fill() const { REQUIRE(::write(write.number(), "x", 1) == 1); }
  [[nodiscard]] Interest to_read(std::uint64_t owner) const {
    return {.descriptor = read.number(), .read = true, .owner = owner};
  }
  [[nodiscard]] Interest to_write(std::uint64_t owner) const {
    return {.descriptor = write.number(), .write = true, .owner = owner};
  }
  Descriptor read, write;
};

using Owners = std::unordered_set<std::uint64_t>;

bool ready(const InterestSet& set) {
  pollfd asked{.fd = set.number(), .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) == 1;
}

}  // namespace

TEST_CASE("interests: only current interests are waited for") {
  const Ends one, other;
  one.fill();
  InterestSet set;
  set.become({other.to_read(1)});
  CHECK_FALSE(ready(set));
  set.become({one.to_read(1), other.to_read(1)});
  CHECK(ready(set));
  set.become({other.to_read(1)});
  CHECK_FALSE(ready(set));
  set.become({other.to_write(1)});
  CHECK(ready(set));
  set.become({});
  CHECK_FALSE(ready(set));
}

TEST_CASE("interests: the number of a closed descriptor may be reused in the next wait") {
  for (const std::uint64_t owner : {1U, 0U}) {  // named, and by somebody who does not say
    InterestSet set;
    int number = -1;
    {
      const Ends before;
      number = before.read.number();
      set.become({before.to_read(owner)});
    }
    const Ends after;
    REQUIRE(after.read.number() == number);
    after.fill();
    set.become({after.to_read(owner == 0 ? 0 : owner + 1)});
    CHECK(ready(set));
  }
}

TEST_CASE("interests: a descriptor may be named several times, and a file that cannot be waited for is an error") {
  const Ends ends;
  InterestSet set;
  set.become({ends.to_write(1), {.descriptor = ends.write.number(), .read = true, .owner = 1}});
  CHECK(ready(set));
  CHECK_THROWS_AS(set.become({{.descriptor = 1000, .read = true, .owner = 1}}), std::system_error);
}

TEST_CASE("interests: ready descriptors are reported by owner, and a set can be an interest of another set") {
  const Ends silent, one, other;
  InterestSet set;
  CHECK_FALSE(set.together());
  CHECK(set.speaking().empty());
  set.become({silent.to_read(1), one.to_read(2), other.to_read(3), other.to_write(3)});
  CHECK(set.together()->speakers == 4);
  CHECK(set.speaking() == Owners{3});
  one.fill();
  CHECK(set.speaking() == Owners{2, 3});
  set.become({silent.to_read(1), one.to_read(4)});
  CHECK(set.speaking() == Owners{4});
  InterestSet above;
  above.become({*set.together()});
  CHECK(ready(above));
  set.become({silent.to_read(1)});
  above.become({*set.together()});
  CHECK_FALSE(ready(above));
  CHECK(above.speaking().empty());
}
