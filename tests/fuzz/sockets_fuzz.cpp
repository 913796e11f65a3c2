// libFuzzer target: an API's answer through a socket.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

namespace {
void feed(std::string_view bytes) {
  static parityd::fuzz::Answers answers;
  answers.feed(bytes);
}
}  // namespace

PARITYD_FUZZ_TARGET(feed, parityd::fuzz::Shape::answer)
