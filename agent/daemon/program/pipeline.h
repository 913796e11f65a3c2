// The pipeline: a pure state machine. A program's position and an event give the next move; no I/O, no
// clock. The daemon persists each move and carries out its action; `parityd check` uses the same machine with another
// policy.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "oracle/rules/verdict.h"
#include "store/store.h"

namespace parityd::agent {

struct Policy {
  int gate_rounds = 3;      // of what a finding rests on, all must hit; `check` uses 1
  bool look_closer = true;  // on a warm worker, before the gate: what is excused or known there costs no fresh process
  bool reduce = true;       // after one round; all rounds are then those of the smaller program
  bool find_stage = true;   // of what it was reduced to
  bool attribute = true;    // what makes it vanish
  bool find_rest = true;    // and what is wrong with the program besides
  bool find_reach = true;   // try that with ordinary inputs
  bool find_extent = true;  // and its siblings, other dtypes, sizes, modes
  int repair_rounds = 3;
};

/// Where a program stands; a part of its row, and what the examinations after the gate have left in the store.
struct Position {
  store::ProgramState state = store::ProgramState::queued;
  int repair_round = 0;  // 0: a first program
  int gate_rounds = 0;
  int gate_hits = 0;
  bool stepped_over = false;  // its screen had neutralisers of known findings on
  bool looked_closer = false;
  bool reduced = false;  // as far as it goes
  int final_rounds = 0;  // of the gate, by what it was reduced to
  int final_hits = 0;    // of those, with the signature kept
  bool stage_known = false;
  bool attributed = false;
  bool rest_known = false;
  bool reach_known = false;
  bool extent_known = false;
};

/// Whether a finding has this raw signature already.
enum class Familiar {
  no,
  yes,
  recheck,  // yes, but it is this signature's turn to go through all the same
};

enum class Action {
  screen,
  screen_compiled,
  ask_repair,
  look_beyond,
  look_closer,
  run_round,
  reduce,
  run_final_round,
  find_stage,
  attribute,
  find_rest,
  find_reach,
  find_extent,
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

struct Begin {                             // a queued program, or one found half-way after a restart
  std::optional<oracle::Verdict> verdict;  // of its gate rounds so far
};
struct Screened {
  oracle::Verdict verdict;
  bool trusted = true;        // false: the warm worker died or was poisoned; its word counts for nothing. A program
                              // whose own code hung counts, although that cost its worker
  bool same_error = false;    // the error is the one its parent had already
  bool stepped_over = false;  // with neutralisers of known findings on: a difference is not what they explain
  bool interpreted = false;   // graphs were run in place of their code: only little that is new and agrees ends so
  bool much_new = false;      // about its graphs
};
struct LookedBeyond {  // on a warm worker, with the same neutralisers on
  oracle::Verdict verdict;
  bool trusted = true;  // as Screened's
  int parts = 0;        // programs made of the outputs that stay wrong
};
struct LookedCloser {  // on a warm worker
  oracle::Verdict verdict;
  bool trusted = true;  // as Screened's
  Familiar familiar = Familiar::no;
};
struct KinTried {  // before its first round and before its reduction: neutralisers of the nearest findings
  oracle::Verdict verdict;
  Familiar familiar = Familiar::no;
  std::string why;  // it is that finding's
};
struct RoundJudged {
  oracle::Verdict verdict;
  Familiar familiar = Familiar::no;
};
struct Further {            // a step after the gate ended: Position has what came of it
  oracle::Verdict verdict;  // of the gate's rounds
};
struct SetAside {  // a suspect that waited for the gate, and waits no longer
  std::string why;
};
struct RepairImpossible {
  std::string why;
};
struct Repaired {};  // a repair's answer was taken in as a program of its own
struct HarnessFailed {
  std::string why;
};
struct FindingWritten {  // the finding that was decided on is in the store
  Move decided;
};
using Event = std::variant<Begin, Screened, LookedBeyond, LookedCloser, KinTried, RoundJudged, Further, SetAside,
                           RepairImpossible, Repaired, HarnessFailed, FindingWritten>;

[[nodiscard]] Move advance(const Policy& policy, const Position& position, const Event& event);

}  // namespace parityd::agent
