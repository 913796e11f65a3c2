// Makes a program of each output that is still wrong once a known fault's neutraliser is on. It has fewer outputs, so
// this ends. One thread (the loop's).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// Of outputs under way: the syntax process takes them apart.
struct OutputsSplit {
  std::size_t left = 0;  // of which nothing is known yet
  int parts = 0;         // programs made
};

/// Leaves that are no outputs stay with the program. What is counted in the answer grows while turns go by.
std::shared_ptr<const OutputsSplit> split_outputs(Workshop& shop, const store::ProgramRow& program,
                                                  const std::vector<std::string>& leaves);

/// How many of the program's outputs both sides gave.
[[nodiscard]] std::size_t outputs_compared(const oracle::Evidence& evidence);

}  // namespace parityd::agent
