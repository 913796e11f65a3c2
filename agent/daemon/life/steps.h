// All steps, in the order in which a program goes through them; the pipeline decides which comes next
// (agent/daemon/program/pipeline.h). The workshop outlives the steps. One thread (the loop's).
#pragma once

#include <memory>

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// Runs eager and compiled on a warm worker, for a share of the programs with neutralisers of known findings on; ends
/// with Screened. Graphs of known form are interpreted instead of compiled, except in a share of the programs.
[[nodiscard]] std::unique_ptr<Step> screen(Workshop& shop);
/// The same with all graphs compiled.
[[nodiscard]] std::unique_ptr<Step> screen_compiled(Workshop& shop);
/// For a suspect screened with neutralisers: each output that stays wrong with them becomes a program of its own; ends
/// with MaskedRan.
[[nodiscard]] std::unique_ptr<Step> run_masked(Workshop& shop);
/// Runs all modes that the rules and the stage runs need, on a warm worker; ends with ControlsRan.
[[nodiscard]] std::unique_ptr<Step> run_controls(Workshop& shop);
/// Before the first round and before the reduction: tries the neutralisers of the nearest findings, one run each; ends
/// with KinTried.
[[nodiscard]] std::unique_ptr<Step> try_known_causes(Workshop& shop);
/// A round of two fresh processes. `round` counts from 1; ends with RoundJudged.
[[nodiscard]] std::unique_ptr<Step> confirm(Workshop& shop, int round);

// Steps of a confirmed program. Each stores its result and ends with Further.
/// Reduces it on warm workers.
[[nodiscard]] std::unique_ptr<Step> reduce(Workshop& shop);
/// A round of the reduced program by fresh processes.
[[nodiscard]] std::unique_ptr<Step> confirm_reduced(Workshop& shop);
/// Finds the first stage of the compiler that differs.
[[nodiscard]] std::unique_ptr<Step> find_stage(Workshop& shop);
/// Finds the neutralisers with which it vanishes; a hang is not attributed.
[[nodiscard]] std::unique_ptr<Step> attribute(Workshop& shop);
/// Whatever stays wrong in the whole program with the neutralisers on becomes programs of its own.
[[nodiscard]] std::unique_ptr<Step> find_residual(Workshop& shop);
/// Finds out whether ordinary inputs show it.
[[nodiscard]] std::unique_ptr<Step> find_trigger(Workshop& shop);
/// Finds out which siblings of its operator, dtypes, sizes, devices, modes and numbers of threads show it; not for a
/// hang.
[[nodiscard]] std::unique_ptr<Step> find_extent(Workshop& shop);

/// Waits up to a minute for the environment's text, then writes finding and draft, or the occurrence of a finding; ends
/// with FindingWritten. `decided`: the move that ends the program.
[[nodiscard]] std::unique_ptr<Step> write_finding(Workshop& shop, const Move& decided);

/// The text to run for a confirmed program: the reduced one if fresh processes have shown that it shows the same.
[[nodiscard]] Subject confirmed_subject(const ProgramTask& task, const Recorder::Told& told);
/// The event for a finished step of a confirmed program, whose result is in the store.
[[nodiscard]] Event further(const Workshop& shop, const ProgramTask& task);

}  // namespace parityd::agent
