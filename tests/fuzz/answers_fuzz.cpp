// libFuzzer target: an API's answer.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

PARITYD_FUZZ_TARGET(parityd::fuzz::feed_answer, parityd::fuzz::Shape::answer)
