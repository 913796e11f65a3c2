// One include for Catch2 2 (Debian 12) and 3 (Ubuntu 24.04), and a skip that ctest reports as Skipped.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <cstdio>

/// Ends the test case as skipped: tests/CMakeLists.txt gives ctest the words to look for.
#define PARITYD_SKIP(reason)                \
  do {                                      \
    std::printf("SKIPPED: %s\n", (reason)); \
    std::fflush(stdout);                    \
    SUCCEED(reason);                        \
    return;                                 \
  } while (false)
