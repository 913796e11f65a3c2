// parityd export --jsonl FILE: programs and findings, a line each (docs/interchange.md). One thread.
#pragma once

#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

struct LinesWanted {
  std::string file;  // "-": standard output
  bool programs = true, findings = true;
};

/// Every program and every finding; where findings are `named` only these and the programs that show them. The file is
/// whole or not there; says so and sets exit code 3 where it cannot be written.
void export_lines(Context& context, const store::Store& store, const LinesWanted& wanted,
                  const std::vector<store::FindingRow>& findings, bool named);

}  // namespace parityd::agent
