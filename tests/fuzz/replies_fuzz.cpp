// libFuzzer target: a model's reply.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

PARITYD_FUZZ_TARGET(parityd::fuzz::feed_reply, parityd::fuzz::Shape::lines)
