// The store: everything parityd knows, in one SQLite file (WAL, synchronous FULL, STRICT tables). All SQL lives in
// store/. One writer (the daemon's loop) writes every table but `requests`; CLI processes open it read-only or insert
// requests. Times are Unix milliseconds, passed in. Errors: StoreError names file, operation and the way out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/disposition.h"
#include "oracle/evidence.h"
#include "oracle/signature.h"
#include "oracle/verdict.h"

namespace parityd::store {

using Id = std::int64_t;
using Millis = std::int64_t;

class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// ---- rows

enum class ReplyState {
  reserved,
  answered,
  failed,
  unknown
};  // reserved at a restart becomes unknown: it stays charged
struct ReplyRow {
  Id id = 0;
  std::string provider, model, strategy;
  std::string purpose;        // "generate", "repair"
  std::optional<Id> program;  // repair: the invalid program
  ReplyState state = ReplyState::reserved;
  bool processed = false;  // its program (or class) has been taken in
  std::string prompt, text;
  std::string klass;   // ReplyClass's name once processed
  std::string finish;  // "stop", "length", …
  std::string origin;  // builtin: corpus, mutant, composed
  std::int64_t prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0;
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
struct ProgramRow {
  Id id = 0;
  std::string identity;
  std::string text;
  std::string origin;  // "reply", "repair", "corpus", "mutant", "composed", "import"
  std::string source;  // file name for imports
  std::string strategy;
  std::optional<Id> reply, parent;  // parent: the invalid program a repair answers
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

struct EnvironmentRow {
  Id id = 0;
  std::string torch, python, device, device_name, sandbox, text;
};

/// One job's evidence about a program: `screen`, `gate` (round 1..), `ladder` or `reach` (trial 1..).
struct EvidenceRow {
  Id program = 0;
  std::string purpose;
  int round = 0;
  Id environment = 0;
  oracle::Evidence evidence;
  oracle::Verdict verdict;
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
  std::string reduced;  // program without unused code
  std::string title;
  std::string explanation;
  std::string device, torch;
  Id program = 0;  // its first occurrence
  Id environment = 0;
  int hits = 0, rounds = 0;
  std::string next_step, why;
  Id occurrences = 0;  // count, filled by queries
  Millis created_at = 0;
};

struct DraftRow {
  Id finding = 0;
  std::string title, body, repro;
  Millis created_at = 0;
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

struct RequestRow {
  Id id = 0;
  std::string command;    // "stop", "import", "inspection"
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
  std::int64_t suspects = 0;  // programs that ever entered the gate
  std::int64_t findings = 0, occurrences = 0, held_flaky = 0, state_dependent = 0;
  std::int64_t replies = 0, failed_replies = 0, prompt_tokens = 0, completion_tokens = 0, spent_nano_dollars = 0;
  std::int64_t harness_failures = 0;
};

// ---- the store

/// write: the daemon's. read: sees everything, changes nothing. request: a database as it is, for add_request() beside
/// a running daemon.
enum class Access { write, read, request };

class Store {
 public:
  /// Creates or migrates (in one transaction, after a copy beside it) when writing; refuses a newer schema.
  Store(const std::filesystem::path& file, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Runs `work` in one transaction; rolls back when it throws. Nested calls join the outer one.
  void transaction(const std::function<void()>& work);

  // replies
  Id reserve_reply(const ReplyRow& row);  // state reserved; returns id
  void end_reply(const ReplyRow& row);    // answered, failed or unknown, with text, tokens, cost
  void mark_reply_processed(Id reply, const std::string& klass);
  [[nodiscard]] std::vector<ReplyRow> unprocessed_replies() const;  // answered, not processed
  /// At start: reserved rows become unknown, charged at their reservation. Returns them.
  std::vector<ReplyRow> abandon_reserved_replies(Millis now);
  /// Nano-dollars settled or reserved since `since`.
  [[nodiscard]] std::int64_t spent_since(Millis since) const;
  [[nodiscard]] std::optional<ReplyRow> reply(Id id) const;

  // programs
  /// nullopt when a program of this identity exists (it is executed once).
  [[nodiscard]] std::optional<Id> add_program(const ProgramRow& row);
  void update_program(const ProgramRow& row);  // state, next_step, why, gate counts, verdict, error_key, finished_at
  [[nodiscard]] std::optional<ProgramRow> program(Id id) const;
  [[nodiscard]] std::optional<Id> program_by_identity(const std::string& identity) const;
  [[nodiscard]] std::vector<ProgramRow> programs_in(ProgramState state, int limit) const;  // oldest first

  // facts
  Id environment(const EnvironmentRow& row);  // finds or inserts; text is filled in when it was empty
  [[nodiscard]] std::optional<EnvironmentRow> environment(Id id) const;
  void add_evidence(const EvidenceRow& row);  // runs, measurements and the verdict
  [[nodiscard]] std::vector<EvidenceRow> evidence_of(Id program) const;
  /// Each program that was examined, oldest first; the list is not held in memory.
  void for_each_examined(const std::function<void(Id)>& use) const;
  /// Kept apart: `state_dependent` (warm only), `flaky`.
  void add_oddity(Id program, const std::string& what, const std::string& text, Millis at);
  void add_harness_failure(std::optional<Id> program, const std::string& text, Millis at);
  /// The programs a warm worker had run before this suspect, oldest first. Once a program; later calls replace it.
  void set_worker_history(Id program, const std::vector<Id>& earlier);
  [[nodiscard]] std::vector<Id> worker_history(Id program) const;

  // where worker time goes
  struct WorkerSecondsRow {
    std::string group;       // name of a group of workers
    std::string occupation;  // import, prime, eager, compile, compare, reset, canary, gate, idle
    double seconds = 0;
  };
  /// Adds to the sums of the day (UTC) `at` lies in.
  void add_worker_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at);
  /// Sums since the start of the day `since` lies in, ordered by group and occupation.
  [[nodiscard]] std::vector<WorkerSecondsRow> worker_seconds(Millis since) const;
  /// Of each device the environment that programs ran on last; before any ran, the newest.
  [[nodiscard]] std::vector<EnvironmentRow> environments() const;

  // findings
  [[nodiscard]] std::optional<FindingRow> finding_by_signature(const std::string& hash) const;
  Id add_finding(const FindingRow& row);
  /// nullopt-safe: a program is an occurrence of one finding once.
  void add_occurrence(Id finding, Id program, const std::string& why, Millis at);
  void set_draft(const DraftRow& row);
  [[nodiscard]] std::optional<FindingRow> finding(Id id) const;
  [[nodiscard]] std::optional<DraftRow> draft(Id finding) const;
  struct FindingFilter {
    std::string kind, status, disposition, text;  // empty: any
    int limit = 1000;
  };
  [[nodiscard]] std::vector<FindingRow> findings(const FindingFilter& filter) const;
  [[nodiscard]] std::vector<ProgramRow> occurrences_of(Id finding) const;

  // what PyTorch's debugging tools told
  void add_inspection(const InspectionRow& row);
  /// The newest; nullopt when the tool was never run on it.
  [[nodiscard]] std::optional<InspectionRow> inspection(Id finding, const std::string& tool) const;
  [[nodiscard]] std::vector<std::string> tools_run(Id finding) const;
  /// Ready findings on which fewer than `tools` tools were run, the worst first.
  [[nodiscard]] std::vector<Id> findings_to_inspect(int tools, int limit) const;

  // requests (the one table others write) and events
  Id add_request(const RequestRow& row);
  [[nodiscard]] std::vector<RequestRow> pending_requests() const;
  void end_request(Id id, const std::string& result, Millis at);
  [[nodiscard]] std::optional<std::string> request_result(Id id) const;  // set once applied
  void add_event(const std::string& level, const std::string& what, const std::string& text, Millis at);
  struct EventRow {
    Id id = 0;
    Millis at = 0;
    std::string level, what, text;
  };
  [[nodiscard]] std::vector<EventRow> events(int limit) const;  // newest first

  // daemon's own small state: "seed_position", "started_at", …
  void set_value(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> value(const std::string& key) const;

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Counts counts_since(Millis since) const;  // rows created since: one session's summary
  /// How long first programs came in since `since`: the time between one and the next, pauses over ten minutes left
  /// out.
  [[nodiscard]] Millis active_since(Millis since) const;
  struct SpendingRow {
    std::string provider, strategy;
    std::int64_t replies = 0, failed = 0, prompt_tokens = 0, completion_tokens = 0;
    std::int64_t nano_dollars = 0;  // charged
  };
  /// What replies reserved since `since` cost, by provider and strategy (repairs count for their program's); dearest
  /// first.
  [[nodiscard]] std::vector<SpendingRow> spending_since(Millis since) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::store
