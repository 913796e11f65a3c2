// The store: everything parityd knows, in one SQLite file (WAL, synchronous FULL, STRICT tables). All SQL lives in
// store/. One writer (the daemon's loop) writes every table but `requests`; CLI processes open it read-only or insert
// requests. Times are Unix milliseconds, passed in. Errors: StoreError names file, operation and the way out.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "store/work/alarms.h"
#include "store/findings/known_issues.h"
#include "store/findings/notifications.h"
#include "store/base/records.h"
#include "store/reading/sources.h"

namespace parityd::store {

/// What kind of thing went wrong, as far as callers do something about it.
enum class StoreFault {
  other,      // a broken rule of the schema, a mistake of ours, a missing or newer database
  full,       // no space on that disk
  read_only,  // file or folder cannot be written
  io,         // the disk failed: the connection is not trusted any more and refuses all further work
  damaged,    // the file is no sound database: the same
  busy,       // another process holds it
  slow,       // a read took longer than kReadLimit
};

class StoreError : public std::runtime_error {
 public:
  explicit StoreError(const std::string& text, StoreFault fault = StoreFault::other)
      : std::runtime_error(text), fault_(fault) {}
  [[nodiscard]] StoreFault fault() const { return fault_; }

 private:
  StoreFault fault_;
};

/// write: the daemon's. read: sees everything, changes nothing. request: a database as it is, for add_request() beside
/// a running daemon.
enum class Access { write, read, request };

/// One statement of a reader may take so long: its snapshot keeps the write-ahead log from being emptied.
inline constexpr std::chrono::seconds kReadLimit{60};

class Store {
 public:
  /// Creates or migrates (in one transaction, after a copy beside it) when writing; refuses a newer schema.
  /// `read_limit`: of a statement of a reader; beyond it StoreFault::slow is thrown.
  Store(const std::filesystem::path& file, Access access, std::chrono::milliseconds read_limit = kReadLimit);
  /// A writer leaves the mark of a clean stop (store/base/clean_mark.h), unless its connection was not trusted any more or
  /// the database was not known to be sound.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Runs `work` in one transaction; rolls back when it throws. Nested calls join the outer one.
  void transaction(const std::function<void()>& work);

  // the file itself (docs/storage.md); writers only, outside of transactions
  /// Whoever wrote last did not end cleanly, and nobody has checked the file since (store/upkeep/check.h).
  [[nodiscard]] bool unchecked() const;
  /// It was checked and is sound.
  void note_checked();
  [[nodiscard]] const std::filesystem::path& file() const;
  struct Size {
    std::int64_t bytes = 0;      // of pages in use
    std::int64_t wal_bytes = 0;  // of the write-ahead log
  };
  [[nodiscard]] Size size() const;
  /// Moves the write-ahead log into the file and empties it; false: a reader's snapshot is in the way.
  bool checkpoint();

  // what may be forgotten, in steps that take milliseconds each
  /// Of at most `limit` consistent programs, the oldest first: runs, measurements and verdicts of those that came
  /// before program `before` or ended before `finished_before` go, but for one in fifty and what belongs to a finding.
  /// The programs stay. How many were looked at; 0: none is due.
  int forget_consistent(Id before, Millis finished_before, int limit);
  /// The newest consistent program with so many newer ones; 0: there are not so many.
  [[nodiscard]] Id newest_consistent_but(std::int64_t number) const;
  /// Texts that no inspection refers to and that are older than an hour go, at most `limit`; how many did.
  int collect_blobs(Millis now, int limit);

  /// What of a finding no longer has the hash it was stored with, in words; empty: nothing.
  [[nodiscard]] std::vector<std::string> tampered(Id finding) const;
  /// Checks the next `limit` findings after `after` and holds those that were tampered with: held(tampered). `last`:
  /// the last one checked; 0: there was none.
  std::vector<Id> flag_tampered(Id after, int limit, Id& last);

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
  [[nodiscard]] std::optional<ProgramRow> last_of_chain(Id first) const;  // its newest repair, else itself
  [[nodiscard]] std::optional<Id> program_by_identity(const std::string& identity) const;
  [[nodiscard]] std::vector<ProgramRow> programs_in(ProgramState state, int limit) const;  // oldest first

  // facts
  Id environment(const EnvironmentRow& row);  // finds or inserts; text is filled in when it was empty
  [[nodiscard]] std::optional<EnvironmentRow> environment(Id id) const;
  [[nodiscard]] std::optional<EnvironmentRow> seen_on(Id program) const;  // where it was screened
  void add_evidence(const EvidenceRow& row);                              // runs, measurements and the verdict
  [[nodiscard]] std::vector<EvidenceRow> evidence_of(Id program) const;
  /// Each program that was examined, oldest first; the list is not held in memory.
  void for_each_examined(const std::function<void(Id)>& use) const;
  /// Kept apart: `state_dependent` (warm only), `flaky`.
  void add_oddity(Id program, const std::string& what, const std::string& text, Millis at);
  /// A warm worker has judged it, and its whole state is still to be looked at.
  void note_unsettled(Id program);
  /// That has been done, and the word of one examination holds.
  void settle(Id program);
  /// None of the words on it that are open holds, and nothing rests on them any more.
  void unsettle(Id program);
  /// None of what warm workers said of it holds: how often it has now been judged again. `counts` false: the daemon
  /// ended, not a worker, which is one time however often it happens.
  int note_again(Id program, bool counts);
  [[nodiscard]] int times_judged_again(Id program) const;
  /// Programs that rest on the word of workers nobody has looked at since.
  [[nodiscard]] std::vector<Id> unsettled() const;
  /// Programs in the queue that have been there before.
  [[nodiscard]] std::vector<Id> queued_again() const;
  void add_harness_failure(std::optional<Id> program, const std::string& text, Millis at);
  /// The programs a warm worker had run before this suspect, oldest first. Once a program; later calls replace it.
  void set_worker_history(Id program, const std::vector<Id>& earlier);

  // where worker time goes
  struct WorkerSecondsRow {
    std::string group;       // name of a group of workers
    std::string occupation;  // import, prime, eager, compile, compare, reset, canary, gate, screen, idle
    double seconds = 0;
  };
  /// Adds to the sums of the day (UTC) `at` lies in.
  void add_worker_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at);
  /// Sums since the start of the day `since` lies in, ordered by group and occupation.
  [[nodiscard]] std::vector<WorkerSecondsRow> worker_seconds(Millis since) const;
  /// Sums of the day (UTC) `at` lies in, in the same order.
  [[nodiscard]] std::vector<WorkerSecondsRow> worker_seconds_of_day(Millis at) const;
  /// Of each device the environment that programs ran on last; before any ran, the newest.
  [[nodiscard]] std::vector<EnvironmentRow> environments() const;

  // findings
  /// By the signature of its reduced program.
  [[nodiscard]] std::optional<FindingRow> finding_by_signature(const std::string& hash) const;
  /// By the raw signature of a whole program that turned out to show it.
  [[nodiscard]] std::optional<FindingRow> finding_by_raw_signature(const std::string& hash) const;
  Id add_finding(const FindingRow& row);
  /// Whole programs with this raw signature are this finding's from now on; the first word about a signature stands.
  void add_raw_signature(Id finding, const oracle::Signature& raw);
  /// A program is an occurrence of one finding once. Raises the finding's alarm where it swallows too much.
  void add_occurrence(Id finding, Id program, const std::string& why, Millis at);
  void set_draft(const DraftRow& row);
  [[nodiscard]] std::optional<FindingRow> finding(Id id) const;
  [[nodiscard]] std::optional<DraftRow> draft(Id finding) const;
  void set_draft_words(const DraftWords& words);
  [[nodiscard]] std::optional<DraftWords> draft_words(Id finding) const;
  /// Ready and new findings that no model was asked to describe, the worst first.
  [[nodiscard]] std::vector<Id> findings_without_words(int limit) const;
  /// What a list of findings is narrowed to; empty: any.
  struct FindingFilter {
    std::string kind, stage, status, reach, device;
    std::string disposition;           // "ready", "held", or with its detail: "held(stride)"
    std::string operator_name, dtype;  // "max" or "aten.max.dim"; "int8"
    std::string torch;                 // "2.13" is any 2.13
    std::string text;                  // in title, signature, explanation or program
    Millis since = 0;                  // found then or later
    int limit = 1000;                  // 0: all
  };
  /// Without those merged into another one; worth reading first on top.
  [[nodiscard]] std::vector<FindingRow> findings(const FindingFilter& filter) const;
  /// Findings of these kinds on this device that have a neutraliser and share some of these operators, those that share
  /// most first, then those of an earlier kind, then as findings() has them.
  [[nodiscard]] std::vector<Id> findings_sharing(const std::vector<std::string>& operators,
                                                 const std::vector<std::string>& kinds,
                                                 const std::string& device) const;
  /// How many findings got the status filed since then.
  [[nodiscard]] std::int64_t filed_since(Millis since) const;
  /// Of the finding and those merged into it, each program once, oldest first.
  [[nodiscard]] std::vector<OccurrenceRow> occurrences_of(Id finding) const;
  /// What an occurrence was traced to: the line of what makes it vanish; empty: nothing is known to.
  void set_blamed_pass(Id finding, Id program, const std::string& pass, Millis at);

  // groups made by hand: nothing is deleted, each change can be undone. In words: why it cannot be done.
  using Changed = tl::expected<Id, std::string>;  // the change's id
  /// `change.finding` is counted and listed as `change.other` from now on; what shows it later, too.
  Changed merge_findings(const GroupingChange& change);
  /// Programs of `change.finding` become occurrences of `change.other`, a finding made for them.
  Changed split_finding(const GroupingChange& change, const std::vector<Id>& programs);
  /// Why `programs` cannot be split off; nullopt: they can.
  [[nodiscard]] std::optional<std::string> cannot_split(Id finding, const std::vector<Id>& programs) const;
  /// A change that no later one builds on; without an id the newest.
  Changed undo_grouping(std::optional<Id> change, const std::string& who, Millis at);
  /// Of this finding, oldest first.
  [[nodiscard]] std::vector<GroupingChange> grouping_changes(Id finding) const;
  void set_disposition(Id finding, const std::string& disposition, int severity, const std::string& next_step);

  /// Keeps the decision and gives the finding its status; else says why not, in words for the person.
  [[nodiscard]] std::optional<std::string> triage(const TriageRow& row);
  /// What triage() would say; nullopt: it would keep the decision.
  [[nodiscard]] std::optional<std::string> cannot_triage(const TriageRow& row) const;
  [[nodiscard]] std::vector<TriageRow> triage_of(Id finding) const;  // oldest first

  // other torches
  /// Two in a row that say gone on the newest torch make the finding fixed; still on it makes a fixed one regressed.
  void add_recheck(const RecheckRow& row);
  [[nodiscard]] std::vector<RecheckRow> rechecks_of(Id finding) const;  // oldest first
  /// Confirmed findings of this device that nobody has tried on this torch, held(untried) first. An empty torch: on the
  /// newest there was.
  [[nodiscard]] std::vector<Id> findings_untried_on(const std::string& torch, const std::string& device) const;
  /// The same of findings that were found on another torch.
  [[nodiscard]] std::vector<Id> findings_found_elsewhere(const std::string& torch, const std::string& device) const;
  /// Gone on this newest torch, said once and an hour ago at least: to be confirmed.
  [[nodiscard]] std::vector<Id> findings_gone_once(const std::string& torch, const std::string& device,
                                                   Millis now) const;
  /// All that programs or rechecks ran on.
  [[nodiscard]] std::vector<std::string> torches() const;
  /// Programs that were consistent on this torch and device, with no neutraliser on: at most `limit`, spread over all
  /// by the seed.
  [[nodiscard]] std::vector<ProgramRow> consistent_programs(const std::string& torch, const std::string& device,
                                                            int limit, std::uint64_t seed) const;
  /// Of this origin the newest program that was consistent as it is, but for so many newer ones; among those that
  /// showed features of the compiler first, or the others.
  [[nodiscard]] std::optional<ProgramRow> recent_parent(const std::string& origin, bool reached_new, int newer) const;
  /// The torch that this device's programs ran on last, where none has run on `torch` yet.
  [[nodiscard]] std::optional<std::string> torch_before(const std::string& torch, const std::string& device) const;
  /// Queues a program once more, for a torch it has not run on. False: it was queued for that torch before.
  bool add_sentinel(const ProgramRow& original, const std::string& torch_before, const std::string& torch, Millis now);

  // known issues
  /// facts: the shipped file's or an imported one's; they replace what is there. guess: read off titles; beside facts
  /// they change an issue's state alone.
  enum class KnownSource { facts, guess };
  /// Adds and changes issues, says when they were gathered (never earlier than before), and matches all findings anew.
  void put_known_issues(const std::vector<KnownIssue>& issues, KnownSource source, std::optional<Millis> as_of);
  [[nodiscard]] std::vector<KnownIssue> known_issues() const;
  [[nodiscard]] std::optional<Millis> known_as_of() const;
  /// Keeps the query, and what the table of known issues answers.
  void set_known_query(Id finding, const KnownQuery& query);
  /// Findings of an older parityd.
  [[nodiscard]] std::vector<Id> findings_without_known_query() const;
  [[nodiscard]] std::vector<KnownMatch> known_matches(Id finding) const;

  // reductions
  void add_failed_trial(Id program, const std::string& text);
  [[nodiscard]] std::vector<std::string> failed_trials(Id program) const;
  /// Also forgets the program's failed trials.
  void set_reduction(const ReductionRow& row);
  [[nodiscard]] std::optional<ReductionRow> reduction(Id program) const;
  void set_attribution(const AttributionRow& row);
  [[nodiscard]] std::optional<AttributionRow> attribution(Id program) const;
  void set_extent(const ExtentRow& row);
  [[nodiscard]] std::optional<ExtentRow> extent(Id program) const;

  // what PyTorch's debugging tools told
  void add_inspection(const InspectionRow& row);
  /// The newest; nullopt when the tool was never run on it.
  [[nodiscard]] std::optional<InspectionRow> inspection(Id finding, const std::string& tool) const;
  [[nodiscard]] std::vector<std::string> tools_run(Id finding) const;
  /// Ready findings on which fewer than `tools` tools were run, the worst first.
  [[nodiscard]] std::vector<Id> findings_to_inspect(int tools, int limit) const;
  /// New ones that crashed, raised a CUDA error or were flaky on CUDA, without the texts of all of compute-sanitizer's
  /// tools (oracle/sanitizer_report.h).
  [[nodiscard]] std::vector<Id> findings_to_sanitize(int limit) const;
  /// What each of those tools said against the finding's kernels, in words; those that said nothing are left out.
  [[nodiscard]] std::vector<std::string> sanitizer_words(Id finding) const;

  // what stand-alone scripts did, run by a plain interpreter
  /// `row.text`: what the tool told of this script.
  void add_script_run(InspectionRow row, const std::string& script);
  /// Of the draft's present script, the newest first; none where it was not run or has changed since.
  [[nodiscard]] std::vector<ScriptRun> script_runs(Id finding) const;
  /// The one it was found on, and those on which the last recheck on its device showed it.
  [[nodiscard]] std::vector<std::string> torches_claimed(Id finding) const;
  /// Those held until their script has been run.
  [[nodiscard]] std::vector<Id> findings_to_run() const;

  // what the compiler said it did (executor/worker/coverage.py names the features)
  /// How many of them no program showed before: the program's `new_features` from now on.
  int note_features(Id program, const std::vector<std::string>& features, Millis at);
  [[nodiscard]] int new_features(Id program) const;
  /// What a torch can do, reached or not.
  void list_features(const std::vector<std::string>& features);
  [[nodiscard]] std::vector<CoverageRow> coverage() const;  // by kind
  [[nodiscard]] std::vector<std::string> features_never_reached(const std::string& kind) const;
  [[nodiscard]] Id last_program() const;  // 0: none
  /// One entry a feature that was reached, sorted: their number up to a program is how far coverage had grown then.
  [[nodiscard]] std::vector<Id> first_programs_of_features() const;
  /// The most features first.
  [[nodiscard]] std::vector<CoverageSourceRow> coverage_by_source() const;

  // the sources of the torches under test (store/reading/sources.h)
  /// Finds or adds it.
  Id source_torch(const std::string& torch, Millis at);
  /// What the daemon reads now: `before` is what its changes are told against.
  void set_sources_in_use(Id torch, std::optional<Id> before);
  /// The daemon's last choice; before there is one, the torch read last. nullopt: none was read to its end.
  [[nodiscard]] std::optional<SourcesInUse> sources_in_use() const;
  [[nodiscard]] std::vector<SourceTorchRow> source_torches() const;  // the one seen first on top
  /// These are the file's units from now on.
  void put_source_file(Id torch, const std::string& file, const std::vector<SourceUnitRow>& units);
  /// Each of its files was put. Units of other files go, and texts that no torch has.
  void end_source_reading(Id torch, const std::string& fingerprint, const std::vector<std::string>& files, Millis at);
  [[nodiscard]] std::vector<SourceUnitRow> source_units(Id torch) const;  // in the order of their files; without texts
  [[nodiscard]] std::vector<SourceUnitRow> source_units_of(const std::string& torch, const std::string& file) const;
  [[nodiscard]] std::string source_text(const std::string& hash) const;  // "": there is none
  /// What eager promises of an operator, as a prompt tells it.
  void put_source_promise(Id torch, const std::string& operator_name, const std::string& promise);
  [[nodiscard]] std::string source_promise(Id torch, const std::string& operator_name) const;  // "": nothing is known

  // what a model was given of them to read
  Id add_reading(const ReadingRow& row);
  [[nodiscard]] std::optional<ReadingRow> reading_of(Id reply) const;
  /// The reading of that torch whose outcomes the model is to be told next; nothing where none is ripe.
  [[nodiscard]] std::optional<ReadingRow> reading_to_follow(const std::string& torch,
                                                            const ConversationLimits& limits) const;
  /// All rounds of the conversation that a reply is part of, failed requests included, in order; empty: of none.
  [[nodiscard]] std::vector<ReadingRow> rounds_of(Id reply) const;
  /// What led to this reply and itself, the chapter's first.
  [[nodiscard]] std::vector<ReplyRow> conversation(Id reply) const;
  [[nodiscard]] std::vector<UnitReadingsRow> unit_readings() const;
  [[nodiscard]] std::vector<AreaReadRow> areas_read(Id torch) const;
  /// All of a torch, or of one of its files, in the order of the files. `before`: to compare with; nothing: none.
  [[nodiscard]] std::vector<UnitReadRow> units_read(Id torch, std::optional<Id> before, const std::string& file) const;
  [[nodiscard]] std::int64_t programs_of_reply(Id reply) const;
  /// The same place again: only its program is added.
  void put_hypothesis(Id reply, int place, const std::string& text, std::optional<Id> program);
  /// What a look at the hypothesis's program told; empty: it failed.
  void set_seen(Id hypothesis, const std::string& seen);
  /// Of a program, or of the one that it repairs.
  [[nodiscard]] std::optional<HypothesisRow> hypothesis_of(Id program) const;
  [[nodiscard]] std::vector<HypothesisRow> hypotheses_of(Id reply) const;
  /// Those that a hypothesis led to, not those merged into another one.
  [[nodiscard]] std::vector<Id> findings_supposed() const;
  /// Of readings that held one of these units, in any torch; newest first.
  [[nodiscard]] std::vector<HypothesisRow> hypotheses_about(const std::vector<ReadUnit>& units, int limit) const;

  // the scheduler's arms
  void set_arm(const ArmRow& arm, Millis at);
  [[nodiscard]] std::vector<ArmRow> arms() const;  // by name

  // requests (the one table others write) and events
  Id add_request(const RequestRow& row);
  /// In the order they were made. Of programs to import, of which there may be a million, only the `imports` that wait
  /// longest; fewer than 0: all.
  [[nodiscard]] std::vector<RequestRow> pending_requests(int imports = -1) const;
  [[nodiscard]] std::int64_t requests_waiting() const;
  void end_request(Id id, const std::string& result, Millis at);
  [[nodiscard]] std::optional<std::string> request_result(Id id) const;  // set once applied
  void add_event(const std::string& level, const std::string& what, const std::string& text, Millis at);
  struct EventRow {
    Id id = 0;
    Millis at = 0;
    std::string level, what, text;
  };
  [[nodiscard]] std::vector<EventRow> events(int limit) const;  // newest first

  // what went wrong, counted (store/work/alarms.h); raised by agent/daemon/alarms.h
  /// Adds `times` to its count. `row.over_at` set: it holds no more.
  void count_alarm(const AlarmRow& row);
  /// The daemon starts: what held when the last one ended is raised again if it still holds.
  void end_alarms(Millis at);
  [[nodiscard]] std::vector<AlarmRow> alarms() const;  // by kind and subject
  /// Adds to the sums of the day (UTC) `at` lies in.
  void add_checks(const std::string& name, std::int64_t passed, std::int64_t failed, Millis at);
  [[nodiscard]] Checks checks(const std::string& name, Millis since) const;
  /// What goes out or comes in worked (`failure` empty) or did not.
  void note_outgoing(const std::string& path, const std::string& failure, Millis at);
  /// Those noted, and each provider that was asked (`provider NAME`), by path.
  [[nodiscard]] std::vector<OutgoingRow> outgoing() const;

  // the operator's command for ready findings (store/findings/notifications.h)
  /// A row of that state (waiting or off) for each ready, new finding that has none. Its index makes this cheap.
  void add_notifications(NotificationState state);
  void set_notification(const NotificationRow& row);
  [[nodiscard]] std::vector<NotificationRow> open_notifications() const;  // waiting or running, oldest finding first
  [[nodiscard]] std::int64_t notifications_begun(Millis since, Millis until) const;

  // daemon's own small state: "seed_position", "started_at", …
  void set_value(const std::string& key, const std::string& value);
  [[nodiscard]] std::optional<std::string> value(const std::string& key) const;

  // what the page leafs through (store/work/recent.cpp); newest first
  [[nodiscard]] std::vector<ReplyRow> replies_before(Id before, int limit) const;
  [[nodiscard]] std::vector<EventRow> events_before(Id before, int limit) const;
  struct ExaminationRow {
    Id id = 0, program = 0;
    std::string purpose, device, torch, verdict;
    int round = 0;
    double worker_seconds = 0;
    Millis at = 0;
  };
  [[nodiscard]] std::vector<ExaminationRow> examinations(int limit) const;
  struct HarnessFailureRow {
    std::optional<Id> program;
    std::string text;
    Millis at = 0;
  };
  [[nodiscard]] std::vector<HarnessFailureRow> harness_failures(int limit) const;
  /// When each finding was made, oldest first; not those merged into another one.
  [[nodiscard]] std::vector<Millis> finding_times() const;

  [[nodiscard]] Counts counts() const;
  [[nodiscard]] Counts counts_since(Millis since) const;  // rows created since: one session's summary
  struct SuspectCounts {
    std::int64_t suspects = 0;         // programs that entered the gate
    std::int64_t state_dependent = 0;  // differences that only a warm worker saw
  };
  /// As in counts_since(), without counting every program of that time.
  [[nodiscard]] SuspectCounts suspects_since(Millis since) const;
  struct FindingCount {
    std::string disposition;  // without what stands in brackets: "held"
    std::string status;
    std::int64_t findings = 0;
  };
  /// Findings by disposition and status, those of which there are any; not those merged into another one.
  [[nodiscard]] std::vector<FindingCount> finding_counts() const;
  /// How long first programs came in since `since`: the time between one and the next, pauses over ten minutes left
  /// out.
  [[nodiscard]] Millis active_since(Millis since) const;
  struct SpendingRow : Yield {
    std::string provider, strategy;
  };
  /// What replies reserved since `since` cost and brought, by provider and strategy (repairs count for their
  /// program's); dearest first.
  [[nodiscard]] std::vector<SpendingRow> spending_since(Millis since) const;
  /// The same, ever, of what language models were asked; dearest first.
  [[nodiscard]] std::vector<YieldRow> yields(YieldBy by) const;
  struct DaySpending {
    Millis day = 0;  // its start (UTC)
    std::int64_t nano_dollars = 0;
  };
  /// What was charged since the start of the day `since` lies in, by day; days without a charge are left out.
  [[nodiscard]] std::vector<DaySpending> spending_by_day(Millis since) const;

  /// The repair of an invalid program, booked when it is asked for (or declined); asked again after a restart it stays
  /// one row.
  void add_repair(Id program, const std::string& error_class, int round, RepairResult result, Millis at);
  void end_repair(Id program, RepairResult result);
  [[nodiscard]] std::string repair_class(Id program) const;  // "" when none was booked
  [[nodiscard]] std::vector<RepairYield> repair_yield_since(Millis since) const;
  [[nodiscard]] std::vector<ReplyClassCount> reply_classes_since(Millis since) const;
  /// A program with which a hypothesis was shown to be right and whose finding is ready, drawn from the newest 64 by a
  /// number that is not negative.
  [[nodiscard]] std::optional<ProgramRow> shown_program(std::int64_t draw) const;
  /// Texts of consistent programs, newest first: what a model may be given to go on from.
  [[nodiscard]] std::vector<std::string> recent_valid_programs(int limit) const;

 private:
  void match_known(Id finding, const KnownQuery& query, const std::vector<KnownIssue>& issues);
  void regroup(Id finding, Id other, Millis at);
  void look_for_two_causes(Id finding, Millis at);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::store
