#include "agent/cli/running/storage_recovery.h"

#include <poll.h>

#include "agent/daemon/loop/wall_clock.h"
#include "agent/daemon/upkeep/disk.h"
#include "store/store.h"
#include "store/upkeep/salvage.h"
#include "store/work/event_kind.h"

namespace parityd::agent {
namespace {

using store::EventKind;
using store::StoreFault;

constexpr int kTryEveryMillis = 2'000;

EventKind kind_of(StoreFault fault) {
  switch (fault) {
    case StoreFault::full:
      return EventKind::disk_full;
    case StoreFault::read_only:
      return EventKind::disk_read_only;
    default:
      return EventKind::disk_error;
  }
}

bool passes_by_itself(StoreFault fault) {
  return fault == StoreFault::full || fault == StoreFault::read_only || fault == StoreFault::io ||
         fault == StoreFault::busy;
}

void say(Context& context, EventKind kind, const std::string& detail) {
  context.err << fmt::format("parityd: {} {}: {}", name(store::description(kind).severity),
                             store::description(kind).name, store::event_text(kind, detail))
              << std::endl;
}

/// Whether the folder has room, and the file opens, is sound at its first pages and accepts a row.
bool can_be_written(const Context& context, const Config& config, EventKind kind, const std::string& detail) {
  const DiskState state = probe_disk(context.state_directory);
  if (!state.unwritable.empty() || state.free_bytes < config.disk_floor_mebibytes * kMebibyte / 4) return false;
  try {
    store::Store store(context.database(), store::Access::write);
    store.events.add(std::string(name(store::description(kind).severity)), std::string(store::description(kind).name),
                     store::event_text(kind, detail), wall_clock());
    return true;
  } catch (const store::StoreError& error) {
    if (!passes_by_itself(error.fault())) throw;
    return false;
  }
}

/// Waits; false: a signal came first.
bool wait_until_writable(Context& context, const Config& config, const Signals& signals,
                         const store::StoreError& error) {
  const EventKind kind = kind_of(error.fault());
  say(context, kind, error.what());
  while (signals.stops() == 0) {
    pollfd wake{.fd = signals.interest().descriptor, .events = POLLIN, .revents = 0};
    poll(&wake, 1, kTryEveryMillis);
    (void)signals.take_hangup();  // the configuration is reread when the database opens
    if (can_be_written(context, config, kind, error.what())) {
      context.err << fmt::format("parityd: {}: can be written again, continuing", context.database().string())
                  << std::endl;
      return true;
    }
  }
  return false;
}

void save_what_is_left(Context& context, const store::StoreError& error) {
  say(context, EventKind::database_damaged, error.what());
  const auto saved = store::salvage(context.database(), wall_clock());
  say(context, EventKind::database_set_aside, fmt::format("{}; {}", saved.kept.string(), saved.sentence()));
  context.err << "the next `parityd run` continues with the new database; see docs/storage.md\n";
  context.exit_code = 3;
}

}  // namespace

void with_recovery(Context& context, const Config& config, const Signals& signals,
                   const std::function<void(bool& begun)>& open_and_run) {
  if (store::finish_replacement(context.database(), wall_clock())) {
    context.err << fmt::format("parityd: {}: finished putting a new database in place\n", context.database().string());
  }
  bool begun = false;
  for (bool again = true; again;) {
    again = false;
    try {
      open_and_run(begun);
    } catch (const store::StoreError& error) {
      if (error.fault() == StoreFault::damaged) {
        save_what_is_left(context, error);
      } else if (begun && passes_by_itself(error.fault())) {
        again = wait_until_writable(context, config, signals, error);
      } else {
        throw;
      }
    }
  }
}

}  // namespace parityd::agent
