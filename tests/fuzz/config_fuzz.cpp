// libFuzzer target: parityd.toml.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

PARITYD_FUZZ_TARGET(parityd::fuzz::feed_config, parityd::fuzz::Shape::lines)
