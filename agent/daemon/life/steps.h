// All steps, in the order in which a program meets them. Which comes next the pipeline decides
// (agent/daemon/program/pipeline.h). The workshop outlives them. One thread (the loop's).
#pragma once

#include <memory>

#include "agent/daemon/life/program_task.h"
#include "agent/daemon/life/workshop.h"

namespace parityd::agent {

/// Eager and compiled on a warm worker, in a share of the programs with neutralisers of known findings on; Screened.
/// Known graphs stand in for their code, but in a share of the programs.
[[nodiscard]] std::unique_ptr<Step> screen(Workshop& shop);
/// The same, and all graphs are compiled.
[[nodiscard]] std::unique_ptr<Step> screen_compiled(Workshop& shop);
/// Of a suspect that was screened with neutralisers: what stays wrong with them becomes programs of its own, an output
/// each; LookedBeyond.
[[nodiscard]] std::unique_ptr<Step> look_beyond(Workshop& shop);
/// All modes that rules and ladder ask for, on a warm worker; LookedCloser.
[[nodiscard]] std::unique_ptr<Step> look_closer(Workshop& shop);
/// Before the first round and the reduction: neutralisers of the findings nearest to it, one run each; KinTried.
[[nodiscard]] std::unique_ptr<Step> try_known_causes(Workshop& shop);
/// A round by two fresh processes. `round`: from 1; RoundJudged.
[[nodiscard]] std::unique_ptr<Step> confirm(Workshop& shop, int round);

// Of a confirmed program. Each leaves what came of it in the store and ends with Further.
/// Makes it smaller on warm workers.
[[nodiscard]] std::unique_ptr<Step> reduce(Workshop& shop);
/// A round of what it was reduced to, by fresh processes.
[[nodiscard]] std::unique_ptr<Step> confirm_reduced(Workshop& shop);
/// The first stage of the compiler that differs.
[[nodiscard]] std::unique_ptr<Step> find_stage(Workshop& shop);
/// What makes it vanish; a hang is not attributed.
[[nodiscard]] std::unique_ptr<Step> attribute(Workshop& shop);
/// What is wrong with the whole program once that has vanished becomes programs of its own.
[[nodiscard]] std::unique_ptr<Step> find_rest(Workshop& shop);
/// Whether ordinary inputs show it.
[[nodiscard]] std::unique_ptr<Step> find_reach(Workshop& shop);
/// Which siblings of its operator, dtypes, sizes, devices, modes and numbers of threads show it; not of a hang.
[[nodiscard]] std::unique_ptr<Step> find_extent(Workshop& shop);

/// Waits for the environment's text, a minute at most, and writes finding and draft, or the occurrence of a finding;
/// FindingWritten. `decided`: the move that ends the program.
[[nodiscard]] std::unique_ptr<Step> write_finding(Workshop& shop, const Move& decided);

/// What a confirmed program runs as: the reduced one where fresh processes have shown that to be the same.
[[nodiscard]] Subject confirmed_subject(const ProgramTask& task, const Recorder::Told& told);
/// A step of a confirmed program has ended; the store holds what came of it.
[[nodiscard]] Event further(const Workshop& shop, const ProgramTask& task);

}  // namespace parityd::agent
