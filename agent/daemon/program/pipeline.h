// The pipeline: a pure state machine. A program's position and an event determine the next move; no I/O, no clock. Any
// thread. The daemon stores each move and carries out its action; `parityd check` uses the same machine with another
// policy.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "oracle/rules/verdict.h"
#include "store/store.h"

namespace parityd::agent {

struct Policy {
  int confirmation_rounds = 3;  // rounds a finding is based on, all of which must show it; `check` uses 1
  bool run_controls =
      true;            // on a warm worker, before confirmation: programs excused or known there cost no fresh process
  bool reduce = true;  // after one round; all further rounds run the smaller program
  bool find_stage = true;     // of the reduced program
  bool attribute = true;      // find the neutralisers with which it vanishes
  bool find_residual = true;  // find what else is wrong with the program
  bool find_trigger = true;   // try it with ordinary inputs
  bool find_extent = true;    // try sibling operators, other dtypes, sizes, modes
  int repair_rounds = 3;
};

/// A program's position: part of its row, and what examinations after confirmation left in the store.
struct Position {
  store::ProgramState state = store::ProgramState::queued;
  int repair_round = 0;  // 0: not a repair
  int confirmation_rounds = 0;
  int confirmation_hits = 0;
  bool stepped_over = false;  // it was screened with neutralisers of known findings on
  bool controls_ran = false;
  bool reduced = false;  // as far as possible
  int final_rounds = 0;  // confirmation rounds of the reduced program
  int final_hits = 0;    // final rounds that kept the signature
  bool stage_known = false;
  bool attributed = false;
  bool residual_known = false;
  bool trigger_known = false;
  bool extent_known = false;
};

/// Whether a finding already has this raw signature.
enum class Familiar {
  no,
  yes,
  recheck,  // yes, but a program of this signature is due to be confirmed anyway
};

enum class Action {
  screen,
  screen_compiled,
  ask_repair,
  run_masked,
  run_controls,
  run_round,
  reduce,
  run_final_round,
  find_stage,
  attribute,
  find_residual,
  find_trigger,
  find_extent,
  add_occurrence,
  add_finding,
  add_flaky_finding,
  finish
};

struct Move {
  store::ProgramState state = store::ProgramState::finished;
  Action action = Action::finish;
  int confirmation_rounds = 0;
  int confirmation_hits = 0;
  std::optional<oracle::Verdict> verdict;  // set if there is one
  std::string next_step;                   // text, shown to people
  std::string why;
  bool state_dependent = false;  // a warm worker saw what fresh processes do not; recorded separately
};

struct Begin {                             // a queued program, or one that a restart interrupted
  std::optional<oracle::Verdict> verdict;  // verdict of its confirmation rounds so far
};
struct Screened {
  oracle::Verdict verdict;
  bool trusted = true;  // false: the warm worker died or was poisoned, so its verdict is ignored; true for a program
                        // whose own code hung, although that killed its worker
  bool same_error = false;    // the error is the same as its parent's
  bool stepped_over = false;  // known findings' neutralisers were on, so they do not explain a difference
  /// Graphs were interpreted, not compiled: final only if invalid, or consistent with few new graph forms.
  bool interpreted = false;
  bool much_new = false;  // enough new graph forms to compile it
};
struct MaskedRan {  // on a warm worker with the same neutralisers on
  oracle::Verdict verdict;
  bool trusted = true;  // as in Screened
  int parts = 0;        // programs made from the outputs that stay wrong
};
struct ControlsRan {  // on a warm worker
  oracle::Verdict verdict;
  bool trusted = true;  // as in Screened
  Familiar familiar = Familiar::no;
};
struct KinTried {  // before its first round and before its reduction: tried with neutralisers of the nearest findings
  oracle::Verdict verdict;
  Familiar familiar = Familiar::no;
  std::string why;  // why it belongs to that finding
};
struct RoundJudged {
  oracle::Verdict verdict;
  Familiar familiar = Familiar::no;
  bool another = false;         // it shows another kind of inconsistency than the rounds before it
  bool overrules_hang = false;  // those before it hung, and it shows something else: they do not count
};
struct Further {            // a step after confirmation ended; Position has its result
  oracle::Verdict verdict;  // verdict of the confirmation rounds
};
struct SetAside {  // a suspect that no longer waits for confirmation
  std::string why;
};
struct RepairImpossible {
  std::string why;
};
struct Repaired {};  // a repair's answer was added as a program of its own
struct HarnessFailed {
  std::string why;
};
struct FindingWritten {  // the finding decided on has been stored
  Move decided;
};
using Event = std::variant<Begin, Screened, MaskedRan, ControlsRan, KinTried, RoundJudged, Further, SetAside,
                           RepairImpossible, Repaired, HarnessFailed, FindingWritten>;

[[nodiscard]] Move advance(const Policy& policy, const Position& position, const Event& event);

}  // namespace parityd::agent
