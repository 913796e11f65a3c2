// toml++ as parityd takes it: the only place that includes it, so that every file sees one library.
#pragma once

#define TOML_HEADER_ONLY 1
// Its assertions do not hold for every wrong file ("[[["): without them that is a mistake with its line, as any other.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>
