// What can go wrong, as one table: name, severity, and the sentence for the operator. Each kind has a heading in
// docs/events.md and a row in `alarms` that counts it; only agent/daemon/loop/alarms.h raises it. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "oracle/names.h"
namespace parityd::store {

using oracle::name;

enum class EventKind {
  // the database and its disk
  disk_full,
  disk_read_only,
  disk_error,
  database_damaged,
  database_set_aside,
  evidence_damaged,
  backup_failed,
  reader_holds_wal,
  // the daemon
  unclean_stop,
  lock_taken_over,
  orphans_killed,
  loop_stalled,
  clock_jumped,
  config_refused,
  log_lines_dropped,
  log_reopened,
  output_closed,
  descriptors_short,
  stop_forced,
  // workers
  no_workers,
  worker_start_failed,
  worker_died,
  worker_hung,
  worker_silent,
  worker_garbled,
  worker_out_of_memory,
  output_flooded,
  processes_left,
  parent_touched,
  poison_program,
  cache_lost,
  environment_changed,
  program_unsteady,
  // devices
  device_error,
  device_lost,
  device_out_of_memory,
  // providers
  provider_stopped,
  provider_out,
  provider_slow_down,
  provider_learned,
  reply_failed,
  reply_unusable,
  reply_unknown,
  reply_repeated,
  prompt_trimmed,
  strategy_rests,
  budget_spent,
  // parityd's own quality
  canary_failed,
  harness_failed,
  canaries_unsound,
  own_failures_high,
  invalid_rate_high,
  false_alarms_high,
  outgoing_stale,
  // findings
  over_merge,
  inspection_failed,
  recheck_failed,
  notify_failed,
  fix_failed,
};

/// info: expected now and then, and handled by parityd. warning: look at it when there is time. error: part of
/// parityd's work stops until someone acts.
enum class Severity { info, warning, error };
constexpr auto names(Severity) { return std::to_array<std::string_view>({"info", "warning", "error"}); }

struct EventDescription {
  EventKind kind;
  std::string_view name;  // as in `events.what`, `alarms.kind`, the log and the page
  Severity severity;
  bool lasts;                    // active until it is reported over; else it occurs and passes
  std::string_view text;         // one line; {} is replaced by the details: what, where and how
  std::string_view faults = {};  // rows of the fault matrix (tests/faults.json) that cause it, separated by spaces
};

[[nodiscard]] std::span<const EventDescription> event_kinds();
[[nodiscard]] const EventDescription& description(EventKind kind);
/// While it is active no provider is asked, since the results could not be kept or run.
[[nodiscard]] bool stops_asking(EventKind kind);
[[nodiscard]] std::optional<EventKind> event_kind_from_name(std::string_view name);

/// The kind's sentence with `detail` filled in: one clean line of at most 500 characters.
[[nodiscard]] std::string event_text(EventKind kind, std::string_view detail);

}  // namespace parityd::store
