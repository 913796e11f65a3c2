#include "executor/interest_set.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <system_error>
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

bool ready(const InterestSet& set) {
  pollfd asked{.fd = set.number(), .events = POLLIN, .revents = 0};
  return poll(&asked, 1, 0) == 1;
}

}  // namespace

TEST_CASE("interests: only what is wanted now is waited for") {
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

TEST_CASE("interests: a closed descriptor's number may be another one's in the next wait") {
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

TEST_CASE("interests: one descriptor may be named several times, and a file that nobody can wait for is an error") {
  const Ends ends;
  InterestSet set;
  set.become({ends.to_write(1), {.descriptor = ends.write.number(), .read = true, .owner = 1}});
  CHECK(ready(set));
  CHECK_THROWS_AS(set.become({{.descriptor = 1000, .read = true, .owner = 1}}), std::system_error);
}
