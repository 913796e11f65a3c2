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
                     "no space for the database, nothing is asked or run until there is: {}", "4"},
    EventDescription{EventKind::disk_read_only, "disk_read_only", error, kLasts,
                     "the database cannot be written, nothing is asked or run until it can: {}", "7"},
    EventDescription{EventKind::disk_error, "disk_error", error, kLasts,
                     "the database's disk fails, its file is opened and checked anew: {}", "6"},
    EventDescription{EventKind::database_damaged, "database_damaged", error, kPasses, "the database is damaged: {}",
                     "8"},
    EventDescription{EventKind::database_set_aside, "database_set_aside", error, kPasses,
                     "a damaged database was set aside and what could be read of it saved: {}", "8"},
    EventDescription{EventKind::evidence_damaged, "evidence_damaged", error, kPasses,
                     "stored evidence is not what was stored, its finding is not shown as valid: {}", "47"},
    EventDescription{EventKind::backup_failed, "backup_failed", error, kPasses, "no backup was made: {}", "13"},
    EventDescription{EventKind::reader_holds_wal, "reader_holds_wal", warning, kLasts,
                     "a reader keeps the write-ahead log from shrinking: {}", "12"},

    EventDescription{EventKind::unclean_stop, "unclean_stop", warning, kPasses,
                     "the last run did not end by itself, it goes on where it was: {}", "1 2 3 9 10 20 48"},
    EventDescription{EventKind::lock_taken_over, "lock_taken_over", warning, kPasses,
                     "the lock of a daemon that is gone was taken over: {}", "11"},
    EventDescription{EventKind::orphans_killed, "orphans_killed", warning, kPasses,
                     "workers of a daemon that is gone were ended: {}", "1"},
    EventDescription{EventKind::loop_stalled, "loop_stalled", warning, kPasses, "the loop stood still: {}", "48"},
    EventDescription{EventKind::clock_jumped, "clock_jumped", warning, kPasses,
                     "the wall clock jumped, durations are not touched: {}", "36"},
    EventDescription{EventKind::config_refused, "config_refused", error, kLasts,
                     "the configuration was not taken, the old one stays: {}", "38"},
    EventDescription{EventKind::log_lines_dropped, "log_lines_dropped", warning, kPasses,
                     "lines of the log could not be written: {}", "5"},
    EventDescription{EventKind::log_reopened, "log_reopened", info, kPasses,
                     "the log was moved or removed and is written anew: {}", "40"},
    EventDescription{EventKind::output_closed, "output_closed", info, kPasses,
                     "nobody reads the standard output any more, it is left alone: {}", "39"},
    EventDescription{EventKind::descriptors_short, "descriptors_short", error, kLasts,
                     "too few files can be opened, some workers do not start until more can: {}", "22"},
    EventDescription{EventKind::stop_forced, "stop_forced", warning, kPasses,
                     "stopped without waiting for programs in flight, they run again: {}", "37"},

    EventDescription{EventKind::no_workers, "no_workers", error, kLasts,
                     "no worker starts any more, nothing is asked and one start a minute is tried: {}", "25"},
    EventDescription{EventKind::worker_start_failed, "worker_start_failed", warning, kLasts,
                     "workers of a group do not start, one start a minute is tried: {}", "21 25"},
    EventDescription{EventKind::worker_died, "worker_died", info, kPasses, "a worker died and is replaced: {}", "14"},
    EventDescription{EventKind::worker_hung, "worker_hung", info, kPasses,
                     "a program's time was over, its worker was killed and is replaced: {}", "15"},
    EventDescription{EventKind::worker_silent, "worker_silent", warning, kPasses,
                     "a worker's heart stopped, it was killed and its program runs in another: {}", "16"},
    EventDescription{EventKind::worker_garbled, "worker_garbled", warning, kPasses,
                     "a worker did not keep to the protocol, it was killed and its program runs in another: {}", "17"},
    EventDescription{EventKind::worker_out_of_memory, "worker_out_of_memory", info, kPasses,
                     "a program took more memory than it may have: {}", "19"},
    EventDescription{EventKind::output_flooded, "output_flooded", info, kPasses,
                     "a program wrote more than is kept, head and tail stay: {}", "18"},
    EventDescription{EventKind::processes_left, "processes_left", info, kPasses,
                     "a program left processes behind, they were ended with its worker: {}", "23"},
    EventDescription{
        EventKind::parent_touched, "parent_touched", error, kPasses,
        "a program reached out of its fresh process, the parent was replaced and the program runs again: {}"},
    EventDescription{EventKind::poison_program, "poison_program", warning, kPasses,
                     "a program ended two workers and is not run again: {}", "24"},
    EventDescription{EventKind::cache_lost, "cache_lost", warning, kPasses,
                     "the shared compiler cache was gone or damaged and is made anew: {}", "41"},
    EventDescription{EventKind::environment_changed, "environment_changed", warning, kPasses,
                     "what programs run on has changed, what follows is counted for itself: {}", "45"},
    EventDescription{EventKind::program_unsteady, "program_unsteady", info, kPasses,
                     "a program's eager results differ from run to run, it is no finding: {}", "46"},

    EventDescription{EventKind::device_error, "device_error", warning, kPasses,
                     "the device reported an error, its worker is replaced and the program runs again: {}", "42"},
    EventDescription{EventKind::device_lost, "device_lost", error, kLasts,
                     "a device is gone or needs a reset, its workers wait: {}", "42 43"},
    EventDescription{EventKind::device_out_of_memory, "device_out_of_memory", warning, kPasses,
                     "the device has no memory left, the program waits and fewer run beside it: {}", "44"},

    EventDescription{EventKind::provider_stopped, "provider_stopped", error, kLasts,
                     "asked no more until a reload or the next start: {}", "28"},
    EventDescription{EventKind::provider_out, "provider_out", warning, kLasts,
                     "no answer, now and then a free request tries whether it is back: {}", "27 30"},
    EventDescription{EventKind::provider_slow_down, "provider_slow_down", info, kPasses, "asked to wait: {}", "26"},
    EventDescription{EventKind::provider_learned, "provider_learned", info, kPasses, "requests go out changed: {}"},
    EventDescription{EventKind::reply_failed, "reply_failed", info, kPasses, "a request failed: {}", "27 30 31 33"},
    EventDescription{EventKind::reply_unusable, "reply_unusable", info, kPasses, "a reply held no program: {}", "32"},
    EventDescription{EventKind::reply_unknown, "reply_unknown", warning, kPasses,
                     "a request was in flight when parityd ended, it stays charged: {}", "33"},
    EventDescription{EventKind::reply_repeated, "reply_repeated", info, kPasses,
                     "a reply's program was here before, it does not run again: {}", "34"},
    EventDescription{EventKind::prompt_trimmed, "prompt_trimmed", info, kPasses,
                     "a prompt was too long and went out with less quoted: {}", "29"},
    EventDescription{EventKind::strategy_rests, "strategy_rests", warning, kPasses,
                     "its prompts are too long for the model's window, it is not asked until the next start: {}"},
    EventDescription{EventKind::budget_spent, "budget_spent", warning, kLasts, "no more requests for now: {}", "35"},

    EventDescription{EventKind::canary_failed, "canary_failed", warning, kPasses,
                     "a worker did not judge the canary rightly and was killed: {}"},
    EventDescription{EventKind::harness_failed, "harness_failed", warning, kPasses,
                     "parityd itself failed at a program, which is no finding: {}", "14 17"},
    EventDescription{EventKind::canaries_unsound, "canaries_unsound", error, kLasts,
                     "canaries fail too often, verdicts of this machine are doubtful: {}"},
    EventDescription{EventKind::own_failures_high, "own_failures_high", warning, kLasts,
                     "parityd itself fails too often: {}"},
    EventDescription{EventKind::invalid_rate_high, "invalid_rate_high", warning, kLasts,
                     "too few programs run eager at all: {}"},
    EventDescription{EventKind::false_alarms_high, "false_alarms_high", warning, kLasts,
                     "too many differences that warm workers see are gone in fresh ones: {}"},
    EventDescription{EventKind::outgoing_stale, "outgoing_stale", warning, kLasts,
                     "what should go out or come in has not for too long: {}"},

    EventDescription{EventKind::over_merge, "over_merge", warning, kPasses,
                     "look whether that is one cause, `parityd split` parts it: {}"},
    EventDescription{EventKind::inspection_failed, "inspection_failed", warning, kPasses,
                     "one of PyTorch's debugging tools told nothing: {}"},
    EventDescription{EventKind::recheck_failed, "recheck_failed", warning, kPasses,
                     "a finding could not be tried on a torch: {}"},
    EventDescription{EventKind::notify_failed, "notify_failed", warning, kPasses,
                     "the command of [notify] did not do its work: {}"},
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
