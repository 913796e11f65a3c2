// libFuzzer target: a file of known issues.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

PARITYD_FUZZ_TARGET(parityd::fuzz::feed_known_issues, parityd::fuzz::Shape::json)
