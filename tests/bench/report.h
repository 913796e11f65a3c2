// What a benchmark found, for people and for scripts. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/bench/measure.h"

namespace parityd::bench {

/// One side of a comparison: its rounds, in the order they were run.
struct Side {
  std::string name;
  int workers = 0;
  std::vector<Round> rounds;

  [[nodiscard]] double seconds() const;  // median
};

struct Report {
  std::string benchmark;
  std::string meaning;  // of the ratio: "fresh time ÷ warm time"
  double ratio = 0;
  std::string machine;  // "cpu (…), torch 2.13.0, sandbox full"
  std::size_t programs = 0;
  std::vector<std::string> skipped;  // files without a program
  std::vector<Side> sides;
};

/// Tables of at most 100 columns, what did not run, and what the ratio means.
[[nodiscard]] std::string text(const Report& report);
[[nodiscard]] nlohmann::json json(const Report& report);

}  // namespace parityd::bench
