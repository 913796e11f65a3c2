// What rows of the database hold, as the rest of parityd sees it. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/disposition.h"
#include "oracle/evidence.h"
#include "oracle/script_report.h"
#include "oracle/signature.h"
#include "oracle/verdict.h"

namespace parityd::store {

using Id = std::int64_t;
using Millis = std::int64_t;
inline constexpr Millis kHour = 3'600'000;
inline constexpr Millis kDay = 24 * kHour;

enum class ReplyState {
  reserved,
  answered,
  failed,
  unknown
};  // reserved at a restart becomes unknown: it stays charged
struct ReplyRow {
  Id id = 0;
  std::string provider, model, strategy;
  std::string purpose;        // "generate", "repair", "draft"
  std::optional<Id> program;  // repair: the invalid program
  ReplyState state = ReplyState::reserved;
  bool processed = false;  // its program (or class) has been taken in
  std::string prompt, text;
  std::string klass;               // ReplyClass's name once processed
  std::string finish;              // "stop", "length", …
  std::string origin;              // builtin: corpus, mutant, composed
  std::int64_t prompt_tokens = 0;  // all of them; of these:
  std::int64_t cached_tokens = 0, cache_write_tokens = 0;
  std::int64_t completion_tokens = 0;  // all of them; of these:
  std::int64_t reasoning_tokens = 0;
  bool usage_estimated = false;  // the server counted nothing
  std::int64_t reserved_nano_dollars = 0, cost_nano_dollars = 0;
  std::int64_t latency_ms = 0;
  int attempts = 0;
  std::string error;
  std::uint64_t seed = 0;
  Millis reserved_at = 0, ended_at = 0;
};

/// `queued`: to be screened. `repairing`: waits for a repair's reply. `gating`: suspect, rounds to go. `finished`: has
/// its verdict.
enum class ProgramState { queued, repairing, gating, finished };
[[nodiscard]] std::string_view name(ProgramState state);
/// Origin of programs that run again on a new torch.
inline constexpr std::string_view kSentinel = "sentinel";

struct ProgramRow {
  Id id = 0;
  std::string identity;
  std::string text;
  std::string origin;  // "reply", "repair", "corpus", "mutant", "composed", "import", "rest", "sentinel"
  std::string source;  // file name for imports
  std::string strategy;
  std::optional<Id> reply, parent;  // parent: the invalid program a repair answers, a mutant's
  Id root = 0;                      // first program of a repair chain; own id otherwise
  int round = 0;                    // 0 first program, 1.. repairs
  ProgramState state = ProgramState::queued;
  std::string next_step, why;  // in words: what happens next and why
  int gate_hits = 0, gate_rounds = 0;
  std::string options_json = "{}";
  std::optional<oracle::Verdict> verdict;  // once finished
  std::string error_key;                   // normalised error, to stop a repair that repeats it
  Millis created_at = 0, finished_at = 0;
};

/// What came of asking for a repair: a program of its own, one that lost the operators under test (which counts as a
/// new program), one known already, none, a failed request; or it was not worth asking.
enum class RepairResult { asked, program, lost_operators, duplicate, no_program, failed, declined };
[[nodiscard]] std::string_view name(RepairResult result);

/// Repairs of one class of errors in one round.
struct RepairYield {
  std::string error_class;
  int round = 0;
  std::int64_t asked = 0, programs = 0;
  std::int64_t valid = 0;       // of those programs
  std::int64_t same_error = 0;  // programs that raised the very error again
  std::int64_t lost_operators = 0, declined = 0;
};

/// What replies to one kind of prompt held: "program", "refusal", "empty", …
struct ReplyClassCount {
  std::string purpose, klass;
  std::int64_t replies = 0;
};

struct EnvironmentRow {
  Id id = 0;
  std::string torch, python, device, device_name, sandbox, text;
};

/// One job's evidence about a program: `screen`, `beyond`, `closer`, `gate` (round 1..), `ladder`, `rest`; of what it
/// was reduced to `final_gate` (round 1..) and `reach` (trial 1..).
struct EvidenceRow {
  Id program = 0;
  std::string purpose;
  int round = 0;
  Id environment = 0;
  oracle::Evidence evidence;
  oracle::Verdict verdict;
  std::string neutralisers = {};  // that held in the compiled runs, as AttributionRow's; empty: none
  double worker_seconds = 0;
  Millis at = 0;
};

struct FindingRow {
  Id id = 0;
  oracle::Signature signature;
  oracle::Kind kind = oracle::Kind::numerical;
  oracle::Stage stage = oracle::Stage::inductor;
  std::string status = "new";
  std::string disposition;  // Disposition::text()
  int severity = 0;         // 0 when not ready
  oracle::Reach reach = oracle::Reach::unknown;
  oracle::Side side = oracle::Side::unknown;
  std::string reduced;                        // the smallest program known to show it
  int statements_before = 0, statements = 0;  // of functions that compute, before and after reduction; 0 not counted
  std::string neutraliser, workaround;        // as AttributionRow's
  std::string extent;                         // as ExtentRow's
  std::string title;
  std::string explanation;
  std::string device, torch;
  Id program = 0;  // its first occurrence
  Id environment = 0;
  int hits = 0, rounds = 0;
  std::string next_step, why;
  std::vector<std::string> operators;  // of the graph captured where it was first shown: "aten.max.dim"
  std::vector<std::string> dtypes;     // of the leaves that differ, and those the program names
  // Filled by queries.
  Id occurrences = 0;             // programs that show it; those of findings merged into it included
  std::optional<Id> merged_into;  // by hand: it is listed and counted there
  std::string alarm;              // why it may hold more than one cause; empty: it does not look so
  std::string consistent_on;      // the torch before, where its first program was consistent; empty: never run there
  Millis created_at = 0;
};

/// A program that shows a finding.
struct OccurrenceRow {
  ProgramRow program;
  Id finding = 0;           // where it was recorded: the finding asked for, or one merged into it
  std::string why;          // why it is the same finding
  std::string blamed_pass;  // of the compiler; empty: not asked
  Millis at = 0;
};

/// A merge or split made by hand. Undone ones stay on record.
struct GroupingChange {
  Id id = 0;
  Millis at = 0;
  std::string who, note;
  std::string what;  // "merge", "split"
  Id finding = 0;    // merge: the one that went; split: the one that was divided
  Id other = 0;      // merge: the one that stayed; split: the new one
  std::optional<Millis> undone_at;
  std::string undone_by;
};

/// Beyond these a finding looks as if it held more than one cause.
inline constexpr int kMostProgramsOfOneCause = 25;
inline constexpr int kMostPassesOfOneCause = 2;

struct DraftRow {
  Id finding = 0;
  std::string title, body, repro;
  Millis created_at = 0;
};

/// A title and a summary that a model wrote of a finding's facts.
struct DraftWords {
  Id finding = 0;
  std::string title, summary;
  std::string writer;  // provider and model
  std::string why;     // the template's words stand instead; empty: these do
  Millis at = 0;
};

/// What a confirmed program was reduced to; the gate judges it afterwards (evidence of purpose `final_gate`).
struct ReductionRow {
  Id program = 0;
  std::string text, options_json = "{}";
  int statements_before = 0, statements = 0;  // of functions that compute
  int lines = 0;                              // that are not empty
  int trials = 0;
  double seconds = 0;  // of worker time
  std::string why;     // it ended there
  Millis at = 0;
};

/// What the search over neutralisers said of what a program was reduced to.
struct AttributionRow {
  Id program = 0;
  std::string neutraliser;         // oracle::line(); empty: none was found
  std::string words;               // the same for people
  std::string workaround, caveat;  // Python that a user could write; empty: none
  std::string why;
  std::string ablations_json = "[]";  // [{"words", "answer"}], in the order of their answers
  int runs = 0;
  double seconds = 0;  // of worker time
  Millis at = 0;
};

/// What a sweep over variants said of what a program was reduced to.
struct ExtentRow {
  Id program = 0;
  std::string sentence;           // oracle::extent(); empty: nothing could be told
  std::string tried_json = "[]";  // [{"aspect", "value", "unit", "shows"}]
  int runs = 0;
  double seconds = 0;  // of worker time
  Millis at = 0;
};
/// The operators that showed the finding in its own one's place, by name: "amax".
[[nodiscard]] std::vector<std::string> operators_failing(const ExtentRow& extent);
/// Whether the finding shows with one thread as with several; false also where that was not tried.
[[nodiscard]] bool any_threads(const ExtentRow& extent);

/// What a finding's reduced program did on some torch: every round shows it, none does, or something else is shown
/// (too).
enum class RecheckResult { still, gone, different, cannot };
[[nodiscard]] std::string_view name(RecheckResult result);
[[nodiscard]] std::optional<RecheckResult> recheck_result_from_name(std::string_view name);

struct RecheckRow {
  Id id = 0;
  Id finding = 0;
  std::string torch, python, device;
  std::string device_name;  // model of the GPU or CPU; empty: not recorded
  bool elsewhere = false;   // another device than the finding's: what it says is not said of torches
  bool newest = false;      // the newest torch that was known then: what it says counts for the finding's status
  RecheckResult result = RecheckResult::cannot;
  int hits = 0, rounds = 0;
  std::string reason;  // in words
  std::string who;
  Millis at = 0;
};

/// What a person decided about a finding.
struct TriageRow {
  Id finding = 0;
  std::string status;  // "filed", "known", …
  std::string issue;   // address at pytorch/pytorch; may be empty
  std::string note;
  std::string checked;  // stands in the draft; what was said before holds while it is empty
  std::string who;
  Millis at = 0;
};

/// What one of PyTorch's debugging tools told of a finding. Kept by content: the same text once.
struct InspectionRow {
  Id finding = 0;
  std::string tool;  // as `parityd inspect` names it
  std::string torch, device;
  std::string text;
  std::string hash;  // of the text; filled by queries
  Millis at = 0;
};

/// The last run of the script that a finding has now, on one torch and device.
struct ScriptRun {
  std::string torch, device;
  oracle::ScriptReport report;
  std::string text;  // what it printed, whole
  Millis at = 0;
};

/// Of a kind of features: `listed` are those that some torch says it can do.
struct CoverageRow {
  std::string kind;
  std::int64_t reached = 0, listed = 0, reached_of_listed = 0;
};
/// What programs of an origin and strategy were the first to show.
struct CoverageSourceRow {
  std::string origin, strategy;
  std::int64_t programs = 0;  // finished ones
  std::int64_t with_new = 0;  // of those, how many showed something new
  std::int64_t features = 0;
};

/// What an arm of the scheduler has earned, old pulls counting less with each new one.
struct ArmRow {
  std::string name;        // "strategy/dtypes"
  double reward = 0;       // points
  double cost = 0;         // dollars, worker time included
  std::int64_t pulls = 0;  // ever
};

/// What replies cost and what came of them. Repairs count for the program that they repair, mutants for nobody.
struct Yield {
  std::int64_t replies = 0, failed = 0, prompt_tokens = 0, completion_tokens = 0;
  std::int64_t nano_dollars = 0;  // charged
  std::int64_t programs = 0;      // first programs of these replies
  std::int64_t valid = 0;         // of those, ran in the end
  std::int64_t inconsistent = 0;  // of those
  std::int64_t findings = 0;      // that they, or repairs of them, were the first to show
  std::int64_t ready = 0;         // different findings worth filing that they show, first or not
  double worker_seconds = 0;      // of all that was run for them, as far as it is kept (forget_consistent)
};

/// A strategy, a chapter's file, or all strategies that read (`reading`) or do not (`prompt`).
enum class YieldBy { strategy, file, kind };
struct YieldRow : Yield {
  std::string kind;  // "reading", "prompt"
  std::string name;  // of the strategy or file
};

struct RequestRow {
  Id id = 0;
  std::string command;    // "stop", "import", "known", "triage", "inspection", …
  std::string arguments;  // JSON
  std::string who;
  Millis created_at = 0;
};

struct Counts {
  std::int64_t programs = 0;  // first programs
  std::int64_t valid = 0;     // of those, ran eager at once or after repair, or missing_check
  std::int64_t repaired = 0;  // of those, valid after a repair
  std::int64_t invalid = 0, consistent = 0, excused = 0, unstable = 0,
               inconsistent = 0;  // finished roots' last verdicts
  std::int64_t queued = 0, repairing = 0, gating = 0;
  std::int64_t pending = 0;   // of those gating: wait for their first round; only counts() says
  std::int64_t suspects = 0;  // programs that ever entered the gate
  std::int64_t findings = 0, occurrences = 0, held_flaky = 0, state_dependent = 0;
  std::int64_t replies = 0, failed_replies = 0, prompt_tokens = 0, completion_tokens = 0, spent_nano_dollars = 0;
  std::int64_t harness_failures = 0;
};

// ---- the store

}  // namespace parityd::store
