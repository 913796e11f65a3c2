// The daemon: one loop on one thread that owns all state. Each turn waits for everything at once, writes
// what happened in one transaction, then sends what that allows.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agent/config.h"
#include "agent/daemon/findings/notifier.h"
#include "agent/daemon/findings/recorder.h"
#include "agent/daemon/kill_point.h"
#include "agent/daemon/loop_clock.h"
#include "agent/daemon/program/attributor.h"
#include "agent/daemon/program/examiner.h"
#include "agent/daemon/program/pipeline.h"
#include "agent/daemon/program/rechecker.h"
#include "agent/daemon/program/reducer.h"
#include "agent/daemon/program/step_over.h"
#include "agent/daemon/program/suspects.h"
#include "agent/daemon/program/sweeper.h"
#include "agent/daemon/progress.h"
#include "agent/daemon/service.h"
#include "agent/daemon/supply/breeding.h"
#include "agent/daemon/supply/earnings.h"
#include "agent/daemon/supply/gathering.h"
#include "agent/daemon/supply/generation.h"
#include "agent/daemon/supply/intake.h"
#include "agent/daemon/supply/placement.h"
#include "agent/daemon/supply/share.h"
#include "agent/daemon/supply/supply.h"
#include "agent/daemon/upkeep/alarms.h"
#include "agent/daemon/upkeep/device_pressure.h"
#include "agent/daemon/upkeep/upkeep.h"
#include "agent/llm/http.h"
#include "agent/reading/reading_room.h"
#include "prompts/error_class.h"

namespace parityd::agent {

struct DaemonOptions {
  std::optional<std::int64_t> programs;               // first programs to take, then drain
  std::optional<std::chrono::milliseconds> duration;  // then stop
  bool drain = false;                                 // ask for no new programs; end when nothing is left
  store::Counts session = {};                         // of the daemon that this one goes on for: its disk failed
};

/// Everything the daemon uses, made by the CLI. References outlive it.
struct DaemonParts {
  const Config& config;
  const prompts::PromptSet& prompts;
  store::Store& store;
  LoopClock& clock;
  executor::Workers& pool;
  executor::Syntax& syntax;
  Provider* provider;                // null: only what is queued
  std::vector<double> shares;        // of the programs, a group of the pool each
  executor::GroupIndex tested = 0;   // so many groups run programs; those after them have the newest torch
  std::vector<std::string> torches;  // what groups were built for; empty where only their workers can tell
  std::filesystem::path scratch;
  std::filesystem::path draft_template;
  Service& service;                   // signals, supervisor, log
  std::vector<StartNote> notes = {};  // of what came before the daemon
  DiskProbe disk = probe_disk;
  bool check_beside = true;                       // upkeep.h
  executor::Sources* sources = nullptr;           // of the torch under test; null: no model is given them to read
  executor::Sources* previous_sources = nullptr;  // of the torch to compare them with, if configured
  KillHook kill_hook = {};
  NotifyParts notify = {};
};

/// Of the daemon's small state: when and where the last backup was made.
inline constexpr const char* kLastBackup = "last_backup";

/// Origin of programs made of what stayed wrong with another once its finding's neutraliser took that finding away.
inline constexpr std::string_view kRest = "rest";

/// Made of programs that were counted already: no program taken.
[[nodiscard]] inline bool is_derived(const store::ProgramRow& program) {
  return program.origin == kRest || program.origin == store::kSentinel;
}
/// Counted as a program taken; no repair either.
[[nodiscard]] inline bool is_first(const store::ProgramRow& program) {
  return program.round == 0 && !is_derived(program);
}

/// A program put back into the queue so often, because the warm workers that judged it were not to be relied on, goes
/// to fresh processes.
inline constexpr int kGateAfter = 2;

/// Made without a model: to have it repaired would cost more than another one.
[[nodiscard]] inline bool is_bred(const store::ProgramRow& program) {
  return program.origin == "mutant" || program.origin == "composed";
}

/// At the end programs in flight finish or are requeued within ten seconds, and what they leave is tidied
/// up.
inline constexpr std::chrono::seconds kStopGrace{7};

[[nodiscard]] Policy policy_of(const Config& config);

enum class EndReason { done, stopped, provider_stopped, workers_broken };

class Daemon {
 public:
  Daemon(DaemonParts parts, DaemonOptions options, Progress& progress);

  /// Runs until its options, a signal or a `stop` request end it.
  EndReason run();
  [[nodiscard]] const store::Counts& session() const { return session_; }
  /// What to tell the operator when the end reason is an error.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// For what went wrong around the daemon, before run() too.
  [[nodiscard]] Alarms& alarms() { return alarms_; }

 private:
  struct Pending {  // a confirmed finding waiting for the environment's text
    store::ProgramRow program;
    Move move;
    executor::TimePoint since;
  };

  /// A suspect on which neutralisers of findings are tried, one after another.
  struct Kinship {
    std::shared_ptr<const oracle::Shown> symptom;
    std::vector<store::Id> findings;
    std::vector<std::vector<oracle::Neutraliser>> neutralisers;  // theirs
    std::size_t next = 0;
  };

  /// A suspect whose outputs that known findings do not explain are made programs of their own.
  struct Parting {
    store::ProgramRow program;
    LookedBeyond looked;
    std::size_t left = 0;  // outputs whose program is not made yet
  };

  /// A reply of which programs are being parsed.
  struct OpenReply {
    int left = 0, taken = 0;
  };

  void resume();
  void turn();
  void wait();
  void heed_signals();
  void reload();
  void begin_stop(executor::TimePoint by);
  void watch_open_files();
  [[nodiscard]] std::string status() const;
  [[nodiscard]] std::string in_flight() const;
  void apply_requests();
  void import_file(const store::RequestRow& request);
  void take_known(const store::RequestRow& request);
  void triage(const store::RequestRow& request);
  void take_inspection(const store::RequestRow& request);
  void take_recheck(const store::RequestRow& request);
  void take_backup(const store::RequestRow& request);
  void meet_torches();
  void meet_workers();
  [[nodiscard]] bool all_torches_met() const;
  void begin_rechecks(bool gating);
  void rechecked(const Examined& examined);
  void keep_recheck(const store::RecheckRow& row);
  void take_answers();
  void take_answer(Answered answered);
  void count_useless_reply(const std::string& provider);
  void take_programs();
  void disown(Taken& taken);
  void add_program(Taken taken);
  void close_reply(const Arrival& arrival, std::optional<store::Id> program, const std::string& klass);
  void read_sources();
  void take_examined();
  void note_word(const Examined& examined);
  void take_settled();
  void resume_unsettled();
  enum class EndOf { worker, daemon };
  bool judge_again(store::Id id, EndOf end, const std::string& why);  // false: no warm worker's word ended it
  void uncount(const store::ProgramRow& program);
  void note_vanished(store::Id program);
  [[nodiscard]] bool is_counted_first(const store::ProgramRow& program) const;
  void examined(const Examined& examined);
  void schedule();
  void ask(int room);
  void tell_pause();
  [[nodiscard]] Supply::Level supply_level() const;
  void begin_queued();
  void tell_of_confirmed(const store::ProgramRow& program);
  void wait_for_gate(store::ProgramRow program, bool begun);
  void begin_suspects();
  void begin_suspects_of(executor::GroupIndex group);
  void take_reduced();
  void ask_repairs(int& room);
  [[nodiscard]] std::string why_dropped(prompts::ErrorClass error_class, store::Id program);
  void write_findings();
  void findings_changed();
  void gather();
  void keep_sanitized(store::Id finding);
  void keep_script(store::Id finding);
  void notify();

  void step(store::ProgramRow program, const Event& event);
  void carry_out(store::ProgramRow program, const Move& move);
  void finish_finding(store::ProgramRow program, const Move& move);
  void finished(const store::ProgramRow& program);
  [[nodiscard]] Event screened_event(const store::ProgramRow& program, const Examined& examined) const;
  void carry_on(store::ProgramRow program, Action action);
  void begin_attribution(store::ProgramRow program);
  [[nodiscard]] std::vector<oracle::Neutraliser> neutralisers_of(store::Id program) const;
  [[nodiscard]] std::vector<oracle::Neutraliser> stepped_over(const store::ProgramRow& program);
  void take_beyond(const store::ProgramRow& program, const Examined& examined);
  void take_parted();
  void take_rest(const store::ProgramRow& program, const Examined& examined);
  void part(const store::ProgramRow& program, const std::set<int>& outputs);
  void begin_sweep(store::ProgramRow program);
  void take_swept();
  void begin_kinship(store::ProgramRow program);
  void try_next_kin(store::Id program);
  void end_kinship(store::Id program, std::optional<store::Id> finding);
  void ablated(const Examined& examined);
  [[nodiscard]] Event event_of(const store::ProgramRow& program, const Examined& examined) const;
  [[nodiscard]] std::optional<store::ProgramRow> take_active(store::Id program);
  void go_on(store::ProgramRow program);
  [[nodiscard]] Event further_event(const store::ProgramRow& program) const;
  [[nodiscard]] Familiar familiar(store::Id program, const oracle::Verdict& verdict) const;
  [[nodiscard]] oracle::Kind suspected_kind(store::Id program) const;
  [[nodiscard]] Position position_of(const store::ProgramRow& program) const;

  [[nodiscard]] bool may_take_first_program() const;
  [[nodiscard]] bool first_finding_comes() const;
  [[nodiscard]] bool may_ask() const { return upkeep_.may_spend() && !alarms_.stop_asking(); }
  [[nodiscard]] bool nothing_left() const;
  [[nodiscard]] std::optional<EndReason> end_reason();
  [[nodiscard]] std::optional<std::string> why_broken() const;
  bool workers_hopeless();
  bool update_environment(executor::GroupIndex group);  // true once its text is known
  [[nodiscard]] std::optional<executor::GroupIndex> place();
  [[nodiscard]] int allowed_more(executor::GroupIndex group) const;
  [[nodiscard]] executor::GroupIndex group_of(store::Id program) const;
  void place_resumed();
  void take_up(store::Id program, executor::GroupIndex group);
  [[nodiscard]] std::optional<SeenOn> runs_on(executor::GroupIndex group) const;
  [[nodiscard]] SeenOn seen_on(store::Id program) const;
  [[nodiscard]] bool confirms(executor::GroupIndex group, const SeenOn& seen) const;
  [[nodiscard]] std::optional<executor::GroupIndex> stand_in(const SeenOn& seen) const;
  [[nodiscard]] Subject subject_of(const store::ProgramRow& program) const;
  [[nodiscard]] Subject confirmed_subject(const store::ProgramRow& program, const Recorder::Told& told) const;
  [[nodiscard]] bool programs_wait() const;
  [[nodiscard]] bool programs_take_all(executor::GroupIndex group) const;
  [[nodiscard]] bool may_confirm(executor::GroupIndex group) const;
  [[nodiscard]] TrialRoom trial_room() const;
  void account_workers();
  void tell_of_workers();
  void hold(store::EventKind kind, const std::optional<std::string>& why, executor::GroupIndex group);
  [[nodiscard]] bool waits_for_device(store::ProgramRow& program, const Examined& examined);
  void failed_ourselves(const store::ProgramRow& program, const Examined& examined);
  void tell_of_verdict(const store::ProgramRow& program, const Examined& examined);
  void review_health();
  void note(const std::string& what, const std::string& text);
  void request_booked();
  void reach(KillPoint point) const;
  void say(const std::string& what, const std::string& text);  // note it, and show it
  void tell_of_start();
  void read_clocks();

  DaemonParts parts_;
  DaemonOptions options_;
  Progress& progress_;
  Alarms alarms_;
  Upkeep upkeep_;
  Policy policy_;
  Examiner examiner_;
  Gathering gathering_;
  Intake intake_;
  Recorder recorder_;
  Rechecker rechecker_;
  Reducer reducer_;
  Suspects suspects_;
  std::vector<std::pair<store::Id, SeenOn>> resumed_;  // suspects, before their first round, that no group has yet
  ConfirmationShare share_;
  Supply supply_;
  std::map<store::Id, Attributor> attributors_;
  std::map<store::Id, Kinship> kinships_;
  std::map<store::Id, Sweeper> sweepers_;
  StepOver step_over_;
  bool step_over_stale_ = true;  // findings have changed since
  bool none_found_ = false;      // since the database was made
  std::map<store::Id, Parting> partings_;
  Earnings earnings_;
  std::optional<ReadingRoom> reading_room_;
  std::optional<Generation> generation_;
  Breeding breeding_;
  Notifier notifier_;

  executor::TimePoint now_;
  executor::TimePoint started_;
  store::Millis wall_ = 0;
  Outbox outbox_;
  std::map<store::Id, store::ProgramRow> active_;  // being examined
  std::map<store::Id, int> unsettled_;             // examinations whose workers are still to be looked at
  std::set<store::Id> judged_again_;               // programs that count as taken already
  using WorkerKey = std::pair<executor::GroupIndex, int>;
  std::map<store::Id, WorkerKey> saw_difference_;     // of programs not finished
  std::map<WorkerKey, int> vanished_;                 // differences that were not there in fresh processes
  std::map<store::Id, executor::GroupIndex> placed_;  // programs not finished: whose workers run them
  Placement placement_;
  DevicePressure pressure_;
  executor::TimePoint review_at_{};
  std::int64_t canaries_passed_ = 0, canaries_failed_ = 0;  // kept so far
  std::vector<int> given_;                                  // places given away this turn, before the pool knows
  executor::TimePoint accounted_;
  std::deque<store::ProgramRow> queued_;
  std::deque<store::ProgramRow> repairs_;  // wait for the provider's capacity
  std::map<store::Id, Pending> pending_;
  std::set<store::Id> importing_;         // requests whose programs are not rows yet
  std::set<store::Id> repairs_retried_;   // asked for again once, where no provider could answer
  std::set<store::Id> repairs_answered_;  // before a restart: not to be asked for again
  store::Counts session_;
  std::set<store::Id> begun_before_;                    // roots of programs that another session counted
  std::map<std::string, int> replies_without_program_;  // in a row, by provider
  std::map<store::Id, OpenReply> open_replies_;
  bool stopping_ = false;
  bool silent_ = false;  // nobody reads the output, and that was said
  bool stop_now_ = false;
  executor::TimePoint stop_by_;
  std::string problem_;
  std::string last_pause_;
  std::set<executor::GroupIndex> environment_complete_;
  std::set<executor::GroupIndex> met_;  // groups whose torch is known
  std::string newest_torch_;            // as the recorder knows it
};

}  // namespace parityd::agent
