// libFuzzer target: a page of GitHub's issues.
#include "tests/fuzz/agent_entries.h"
#include "tests/fuzz/target.h"

PARITYD_FUZZ_TARGET(parityd::fuzz::feed_github_page, parityd::fuzz::Shape::json)
