// The pipeline: a pure state machine (DESIGN §3). A program's position and an event give the next move; no I/O, no
// clock. The daemon persists each move and carries out its action; `parityd check` uses the same machine with another
// policy.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "oracle/verdict.h"
#include "store/store.h"

namespace parityd::agent {

struct Policy {
  int gate_rounds = 3;     // all must hit (DESIGN §5 "Gate"); `check` uses 1
  bool find_stage = true;  // run the ladder after the first hit; `check` does not
  bool find_reach = true;  // try a confirmed finding with ordinary inputs; `check` does not
  int repair_rounds = 3;
};

/// Where a program stands; a part of its row.
struct Position {
  store::ProgramState state = store::ProgramState::queued;
  int repair_round = 0;  // 0: a first program
  int gate_rounds = 0;
  int gate_hits = 0;
  bool stage_known = false;
  bool reach_known = false;
};

struct Begin {                             // a queued program, or one found half-way after a restart
  std::optional<oracle::Verdict> verdict;  // of its gate rounds so far
};
struct Screened {
  oracle::Verdict verdict;
  bool trusted = true;      // false: the warm worker died or was poisoned; its word counts for nothing
  bool same_error = false;  // the error is the one its parent had already
};
struct RoundJudged {
  oracle::Verdict verdict;
};
struct StageFound {
  oracle::Verdict verdict;       // of the rounds so far
  bool signature_known = false;  // a finding has this raw signature
  bool recheck = false;          // it is this signature's turn to go through the whole gate all the same
};
struct ReachTried {         // one more trial with ordinary inputs
  oracle::Verdict verdict;  // of the gate's rounds
  bool settled = false;     // no further trial is needed
};
struct RepairImpossible {
  std::string why;
};
struct Repaired {};  // a repair's answer was taken in as a program of its own
struct HarnessFailed {
  std::string why;
};
using Event =
    std::variant<Begin, Screened, RoundJudged, StageFound, ReachTried, RepairImpossible, Repaired, HarnessFailed>;

enum class Action {
  screen,
  ask_repair,
  run_round,
  find_stage,
  find_reach,
  add_occurrence,
  add_finding,
  add_flaky_finding,
  finish
};

struct Move {
  store::ProgramState state = store::ProgramState::finished;
  Action action = Action::finish;
  int gate_rounds = 0;
  int gate_hits = 0;
  std::optional<oracle::Verdict> verdict;  // set when one is known
  std::string next_step;                   // in words, shown to people
  std::string why;
  bool state_dependent = false;  // a warm worker saw what fresh processes do not: recorded apart
};

[[nodiscard]] Move advance(const Policy& policy, const Position& position, const Event& event);

}  // namespace parityd::agent
