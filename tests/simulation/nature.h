// What a simulated program is: written into its text where a model would write operators, read back by the simulated
// workers, which behave accordingly. Pure.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "executor/pool/pool.h"
#include "oracle/run_record.h"

namespace parityd::simulation {

enum class Kind {
  consistent,
  invalid,    // raises in eager mode and compiled: to be repaired
  numerical,  // wrong numbers of inductor's
  behaviour,  // compiled code raises
  crash,      // compiled code dies
  hang,       // compiled code does not end
  flaky,      // wrong numbers now and then: the confirmation rounds disagree
  unstable,   // eager disagrees with itself
};

struct Nature {
  Kind kind = Kind::consistent;
  int cause = 0;  // programs with one cause are one finding
  std::int64_t number = 0;
};

/// A program of that nature; it says so in a line of its code.
[[nodiscard]] std::string program_of(const Nature& nature);
/// The last that is named in the text; consistent where none is.
[[nodiscard]] Nature nature_of(std::string_view text);
/// What most programs that a model writes are, and what some are.
[[nodiscard]] Nature drawn_nature(std::mt19937_64& random, std::int64_t number);

/// What a process did with a program: the modes that came to their end, and the one that took it with it.
struct Ran {
  std::vector<oracle::RunRecord> records;
  std::optional<executor::Death> death;
};

/// As the fake worker's canned evidence (tests/fake_worker/evidence.py): one element in, one out. `chance` decides what
/// is left to chance. The records point into static storage.
[[nodiscard]] Ran run(const Nature& nature, const executor::Job& job, std::mt19937_64& chance);

/// Writes a record as a fresh process leaves it (docs/protocol.md "Artefacts").
void write_artefact(const std::filesystem::path& folder, const oracle::RunRecord& record);

}  // namespace parityd::simulation
