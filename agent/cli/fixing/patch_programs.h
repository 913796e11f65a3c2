// Programs to run a patch with: the shipped ones, and stored ones. Blocks: it reads files; any thread.
#pragma once

#include <vector>

#include "agent/cli/fixing/patch_sides.h"
#include "store/store.h"

namespace parityd::agent {

/// The texts of the shipped corpus as they are written, by their files' names: PatchSides::normalised() makes them run.
[[nodiscard]] std::vector<PatchCase> shipped_programs();
[[nodiscard]] PatchCase stored_program(const store::ProgramRow& row);

}  // namespace parityd::agent
