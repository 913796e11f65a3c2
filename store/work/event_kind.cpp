#include "store/work/event_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "store/base/text.h"

namespace parityd::store {
namespace {

constexpr std::size_t kLongestText = 500;
constexpr bool kLasts = true;
constexpr bool kPasses = false;

using enum Severity;

constexpr std::array kTable = {
    EventDescription{EventKind::disk_full, "disk_full", error, kLasts,
                     "the disk of the database is full; requests and runs are paused until there is space: {}", "4"},
    EventDescription{EventKind::disk_read_only, "disk_read_only", error, kLasts,
                     "the database cannot be written; requests and runs are paused until it can: {}", "7"},
    EventDescription{EventKind::disk_error, "disk_error", error, kLasts,
                     "reading or writing the database failed; its file is reopened and checked: {}", "6"},
    EventDescription{EventKind::database_damaged, "database_damaged", error, kPasses, "the database is damaged: {}",
                     "8"},
    EventDescription{EventKind::database_set_aside, "database_set_aside", error, kPasses,
                     "a damaged database was set aside, and everything readable in it was saved: {}", "8"},
    EventDescription{EventKind::evidence_damaged, "evidence_damaged", error, kPasses,
                     "stored evidence does not match its hash; its finding is held as tampered: {}", "47"},
    EventDescription{EventKind::backup_failed, "backup_failed", error, kPasses,
                     "a backup failed; fix the cause and run `parityd backup`: {}", "13"},
    EventDescription{EventKind::reader_holds_wal, "reader_holds_wal", warning, kLasts,
                     "a reader keeps the write-ahead log from shrinking; end it: {}", "12"},

    EventDescription{EventKind::unclean_stop, "unclean_stop", warning, kPasses,
                     "the last run was killed; its work is resumed: {}", "1 2 3 9 10 20 48"},
    EventDescription{EventKind::lock_taken_over, "lock_taken_over", warning, kPasses,
                     "the lock of a daemon that no longer runs was taken over: {}", "11"},
    EventDescription{EventKind::orphans_killed, "orphans_killed", warning, kPasses,
                     "workers left by a killed daemon were killed: {}", "1"},
    EventDescription{EventKind::loop_stalled, "loop_stalled", warning, kPasses, "the main loop was blocked: {}", "48"},
    EventDescription{EventKind::clock_jumped, "clock_jumped", warning, kPasses,
                     "the wall clock jumped; deadlines are not affected: {}", "36"},
    EventDescription{EventKind::config_refused, "config_refused", error, kLasts,
                     "the new configuration was rejected, the old one stays in effect: {}", "38"},
    EventDescription{EventKind::log_lines_dropped, "log_lines_dropped", warning, kPasses,
                     "log lines could not be written: {}", "5"},
    EventDescription{EventKind::log_reopened, "log_reopened", info, kPasses,
                     "the log file was moved or removed and has been reopened: {}", "40"},
    EventDescription{EventKind::output_closed, "output_closed", info, kPasses,
                     "the reader of the output is gone; nothing more is written to it: {}", "39"},
    EventDescription{EventKind::descriptors_short, "descriptors_short", error, kLasts,
                     "the limit on open files is too low, some workers do not start; raise it: {}", "22"},
    EventDescription{EventKind::stop_forced, "stop_forced", warning, kPasses,
                     "stopped without waiting for running programs; they are requeued: {}", "37"},

    EventDescription{EventKind::no_workers, "no_workers", error, kLasts,
                     "no worker starts; requests are paused, and a start is retried every minute: {}", "25"},
    EventDescription{EventKind::worker_start_failed, "worker_start_failed", warning, kLasts,
                     "the workers of a group do not start; a start is retried every minute: {}", "21 25"},
    EventDescription{EventKind::worker_died, "worker_died", info, kPasses, "a worker died and was replaced: {}", "14"},
    EventDescription{EventKind::worker_hung, "worker_hung", info, kPasses,
                     "a program exceeded its time limit; its worker was killed and replaced: {}", "15"},
    EventDescription{EventKind::worker_silent, "worker_silent", warning, kPasses,
                     "a worker's heartbeat stopped; it was killed and its program requeued: {}", "16"},
    EventDescription{EventKind::worker_garbled, "worker_garbled", warning, kPasses,
                     "a worker violated the protocol; it was killed and its program requeued: {}", "17"},
    EventDescription{EventKind::worker_out_of_memory, "worker_out_of_memory", info, kPasses,
                     "a program exceeded its memory limit: {}", "19"},
    EventDescription{EventKind::output_flooded, "output_flooded", info, kPasses,
                     "a program wrote too much output; only its beginning and end are kept: {}", "18"},
    EventDescription{EventKind::processes_left, "processes_left", info, kPasses,
                     "a program left processes behind; they were killed with its worker: {}", "23"},
    EventDescription{
        EventKind::parent_touched, "parent_touched", error, kPasses,
        "a program changed the parent of its fresh process; the parent was replaced and the program requeued: {}"},
    EventDescription{EventKind::poison_program, "poison_program", warning, kPasses,
                     "a program killed two workers and is not run again: {}", "24"},
    EventDescription{EventKind::cache_lost, "cache_lost", warning, kPasses,
                     "the shared compiler cache was missing or damaged and is rebuilt: {}", "41"},
    EventDescription{EventKind::environment_changed, "environment_changed", warning, kPasses,
                     "the environment of the programs has changed; later results are counted separately: {}", "45"},
    EventDescription{EventKind::program_unsteady, "program_unsteady", info, kPasses,
                     "a program's eager results differ between runs, so it is not a finding: {}", "46"},

    EventDescription{EventKind::device_error, "device_error", warning, kPasses,
                     "the device reported an error; the worker was replaced and the program requeued: {}", "42"},
    EventDescription{EventKind::device_lost, "device_lost", error, kLasts,
                     "a device is lost or needs a reset; its workers wait: {}", "42 43"},
    EventDescription{EventKind::device_out_of_memory, "device_out_of_memory", warning, kPasses,
                     "the device is out of memory; the program is retried later with fewer beside it: {}", "44"},

    EventDescription{EventKind::provider_stopped, "provider_stopped", error, kLasts,
                     "the provider is not asked again until a reload or restart: {}", "28"},
    EventDescription{EventKind::provider_out, "provider_out", warning, kLasts,
                     "the provider does not answer; a free request is sent from time to time until it does: {}",
                     "27 30"},
    EventDescription{EventKind::provider_slow_down, "provider_slow_down", info, kPasses,
                     "the provider asked to slow down: {}", "26"},
    EventDescription{EventKind::provider_learned, "provider_learned", info, kPasses,
                     "requests to the provider were adapted: {}"},
    EventDescription{EventKind::reply_failed, "reply_failed", info, kPasses, "a request failed: {}", "27 30 31 33"},
    EventDescription{EventKind::reply_unusable, "reply_unusable", info, kPasses,
                     "a reply contained no usable program: {}", "32"},
    EventDescription{EventKind::reply_unknown, "reply_unknown", warning, kPasses,
                     "a request was in flight when parityd was killed; it stays charged: {}", "33"},
    EventDescription{EventKind::reply_repeated, "reply_repeated", info, kPasses,
                     "a reply repeated a known program, which is not run again: {}", "34"},
    EventDescription{EventKind::prompt_trimmed, "prompt_trimmed", info, kPasses,
                     "a prompt was too long and was sent with fewer quotations: {}", "29"},
    EventDescription{EventKind::strategy_rests, "strategy_rests", warning, kPasses,
                     "a strategy's prompts exceed the model's context window; it is not used until the next start: {}"},
    EventDescription{EventKind::budget_spent, "budget_spent", warning, kLasts,
                     "the budget is spent; requests are paused: {}", "35"},

    EventDescription{EventKind::canary_failed, "canary_failed", warning, kPasses,
                     "a worker failed the canary check and was killed: {}"},
    EventDescription{EventKind::harness_failed, "harness_failed", warning, kPasses,
                     "parityd itself failed on a program; this is not a finding: {}", "14 17"},
    EventDescription{EventKind::canaries_unsound, "canaries_unsound", error, kLasts,
                     "too many canary checks fail; do not trust verdicts from this machine: {}"},
    EventDescription{EventKind::own_failures_high, "own_failures_high", warning, kLasts,
                     "parityd itself fails on too many programs: {}"},
    EventDescription{EventKind::invalid_rate_high, "invalid_rate_high", warning, kLasts,
                     "too many programs fail in eager mode: {}"},
    EventDescription{EventKind::false_alarms_high, "false_alarms_high", warning, kLasts,
                     "too many differences seen by warm workers are not confirmed in fresh processes: {}"},
    EventDescription{EventKind::outgoing_stale, "outgoing_stale", warning, kLasts,
                     "outgoing or incoming data is overdue: {}"},

    EventDescription{EventKind::over_merge, "over_merge", warning, kPasses,
                     "a finding may have more than one cause; check it, and use `parityd split` if it has: {}"},
    EventDescription{EventKind::inspection_failed, "inspection_failed", warning, kPasses,
                     "one of PyTorch's debugging tools failed: {}"},
    EventDescription{EventKind::recheck_failed, "recheck_failed", warning, kPasses,
                     "a finding could not be rechecked on a torch: {}"},
    EventDescription{EventKind::notify_failed, "notify_failed", warning, kPasses, "the command of [notify] failed: {}"},
    EventDescription{EventKind::fix_failed, "fix_failed", warning, kLasts,
                     "no change of torch could be tried; the daemon waits before the next: {}"},
};

constexpr bool is_in_order() {
  for (std::size_t index = 0; index < kTable.size(); ++index) {
    if (static_cast<std::size_t>(kTable[index].kind) != index) return false;
  }
  return true;
}
static_assert(is_in_order(), "the table's rows stand in the order of the enumeration");

}  // namespace

std::span<const EventDescription> event_kinds() { return kTable; }

const EventDescription& description(EventKind kind) { return kTable.at(static_cast<std::size_t>(kind)); }

bool stops_asking(EventKind kind) {
  constexpr std::array kStopping = {EventKind::disk_full, EventKind::disk_read_only, EventKind::disk_error,
                                    EventKind::no_workers};
  return std::ranges::find(kStopping, kind) != kStopping.end();
}

std::optional<EventKind> event_kind_from_name(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &EventDescription::name);
  return found == kTable.end() ? std::nullopt : std::optional(found->kind);
}

std::string event_text(EventKind kind, std::string_view detail) {
  return shortened(fmt::format(fmt::runtime(description(kind).text), clean_line(detail)), kLongestText);
}

}  // namespace parityd::store
