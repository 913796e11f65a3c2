// toml++ with parityd's settings. The only file that includes it, so that every file uses the same build of the
// library.
#pragma once

#define TOML_HEADER_ONLY 1
// Its assertions fail for some malformed files ("[[["). Without them these are reported as mistakes with a line, like
// any other.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>
