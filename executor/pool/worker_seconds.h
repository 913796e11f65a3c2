// How workers spend their time, by occupation. One thread (the loop's).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "oracle/names.h"
namespace parityd::executor {

using oracle::name;

enum class Occupation {
  import,        // process start to hello
  prime,         // hello to primed
  eager,         // the eager modes of a warm run: import of the program, inputs, model, forward, backward
  compile,       // the compiled modes of a warm run, including running the compiled code
  compare,       // comparing outputs
  reset,         // removing the program's traces: restore, fingerprint
  canary,        // the pool's own check of a warm worker
  confirmation,  // fresh processes: confirmation rounds, the stage runs, torch's `same`
  screen,        // fresh processes that screen mutants and compose programs
  idle,          // a warm worker's place without work
};
constexpr auto names(Occupation) {
  return std::to_array<std::string_view>(
      {"import", "prime", "eager", "compile", "compare", "reset", "canary", "confirmation", "screen", "idle"});
}
inline constexpr std::size_t kOccupations = 10;

/// Seconds by Occupation.
class WorkerSeconds {
 public:
  [[nodiscard]] double& operator[](Occupation occupation) { return seconds_[static_cast<std::size_t>(occupation)]; }
  [[nodiscard]] double operator[](Occupation occupation) const {
    return seconds_[static_cast<std::size_t>(occupation)];
  }

 private:
  std::array<double, kOccupations> seconds_{};
};

}  // namespace parityd::executor
