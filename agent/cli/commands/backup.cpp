// parityd backup FILE: a copy of the database while the daemon writes; --restore puts one back.
#include "store/upkeep/backup.h"

#include "agent/cli/commands.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/storage_facts.h"
#include "agent/cli/requesting.h"
#include "agent/daemon/lock.h"
#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct BackupOptions {
  std::string file;
  bool restore = false;
};

/// Copies the database. A failure is also reported to a running daemon, whose alarms somebody reads.
std::int64_t copied(Context& context, const fs::path& copy, const store::BackupProgress& progress) {
  try {
    return store::back_up(context.database(), copy, progress);
  } catch (const store::StoreError& error) {
    if (DaemonLock::holder(context.state_directory)) {
      try {
        open_for_requests(context, true)
            ->requests.add(own_row(requests::NoteBackup{.done = {}, .failed = error.what()}));
      } catch (const store::StoreError&) {  // the first error is the one to report
      }
    }
    throw;
  }
}

void back_up(Context& context, const fs::path& copy) {
  const auto progress = [&](int done, int all) {
    if (context.screen.terminal) context.err << fmt::format("\r{} of {} pages", done, all) << std::flush;
  };
  const auto bytes = copied(context, copy, progress);
  if (context.screen.terminal) context.err << "\r\033[K";
  const std::string done = fmt::format("{} UTC to {}", utc(wall_clock()), fs::absolute(copy).string());
  RequestDesk(context).ask(requests::NoteBackup{.done = done, .failed = {}});
  context.out << fmt::format("{}: {}, checked; `parityd backup --restore` restores it\n", printable_line(copy.string()),
                             in_bytes(bytes));
}

void restore(Context& context, const fs::path& copy) {
  fs::create_directories(context.state_directory);
  const auto lock = DaemonLock::acquire(context.state_directory);
  if (!lock) return context.fail(3, "parityd backup: {}", lock.error());
  const fs::path kept = store::restore(copy, context.database(), wall_clock());
  context.out << fmt::format("{}: restored{}\n", context.database().string(),
                             kept.empty() ? "" : "; the previous database is kept in " + kept.string());
}

}  // namespace

void add_backup(CLI::App& app, Context& context) {
  auto options = std::make_shared<BackupOptions>();
  CLI::App* command = app.add_subcommand("backup", "Copy the database to a file, even while the daemon runs.");
  command
      ->add_option("file", options->file,
                   "The copy to write (or to restore from); existing files are never overwritten")
      ->required()
      ->type_name("FILE");
  command->add_flag("--restore", options->restore,
                    "Restore FILE as the database. The daemon must be stopped; the current database is kept beside it");
  command->footer(
      "The copy is checked for damage before it gets its name. See docs/storage.md.\n"
      "Exit code: 0 success, 2 usage error, 3 FILE exists, there is nothing to copy, no space, or a damaged database.");
  command->callback(
      [&context, options] { options->restore ? restore(context, options->file) : back_up(context, options->file); });
}

}  // namespace parityd::agent
