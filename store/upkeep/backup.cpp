#include "store/upkeep/backup.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <atomic>

#include "store/base/connection.h"
#include "store/base/durable.h"
#include "store/base/schema.h"
#include "store/upkeep/check.h"
#include "store/upkeep/salvage.h"

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

constexpr int kBackupBusyMillis = 10'000;

[[noreturn]] void no_copy(const fs::path& copy, const std::string& why, StoreFault fault) {
  throw StoreError(fmt::format("{}: {}", copy.string(), why), fault);
}

void check_whole(const fs::path& unfinished) {
  const std::atomic<bool> never = false;
  const auto damage = what_is_damaged(unfinished, CheckDepth::whole, never);
  if (!damage) no_copy(unfinished, "cannot be read back; choose another path", StoreFault::io);
  if (!damage->empty()) {
    no_copy(unfinished,
            fmt::format("the copy is damaged, and the database may be too: {}; run `parityd doctor`", *damage),
            StoreFault::damaged);
  }
}

/// Renames only if the new name is free: nothing is ever overwritten, not even by two processes at once.
void give_name(const fs::path& unfinished, const fs::path& copy) {
  sync_path(unfinished);
  fs::create_hard_link(unfinished, copy);
  fs::remove(unfinished);
  sync_path(fs::absolute(copy).parent_path());
}

template <typename Work>
void with_errors_of(const fs::path& file, const char* operation, const fs::path& unfinished, const Work& work) {
  std::error_code ignored;
  try {
    work();
  } catch (const SQLite::Exception& error) {
    fs::remove(unfinished, ignored);
    throw_store_error(file, operation, error);
  } catch (const fs::filesystem_error& error) {
    fs::remove(unfinished, ignored);
    throw StoreError(fmt::format("{}: cannot {}: {}; choose another path", error.path1().string(), operation,
                                 error.code().message()),
                     error.code() == std::errc::no_space_on_device ? StoreFault::full : StoreFault::read_only);
  } catch (const StoreError&) {
    fs::remove(unfinished, ignored);
    throw;
  }
}

}  // namespace

std::int64_t back_up(const fs::path& file, const fs::path& copy, const BackupProgress& progress) {
  if (fs::exists(fs::symlink_status(copy))) {
    no_copy(copy, "already exists and was not changed; choose another file", StoreFault::other);
  }
  if (!fs::exists(file)) no_copy(file, "there is no database yet, so there is nothing to copy", StoreFault::other);
  const fs::path unfinished = copy.string() + ".new";
  with_errors_of(file, "copy it", unfinished, [&] {
    SQLite::Database from(file.string(), SQLite::OPEN_READONLY, kBackupBusyMillis);
    (void)checked_version(from, file, migrations());
    from.exec("BEGIN");
    (void)from.execAndGet("SELECT count(*) FROM sqlite_schema");
    copy_pages(from, unfinished, progress);
    make_single(unfinished);
    check_whole(unfinished);
    give_name(unfinished, copy);
  });
  return static_cast<std::int64_t>(size_of(copy));
}

fs::path restore(const fs::path& copy, const fs::path& file, std::int64_t now) {
  if (!fs::exists(copy)) no_copy(copy, "does not exist", StoreFault::other);
  const fs::path unfinished = file.string() + kReplacement;
  const fs::path unchecked = unfinished.string() + ".new";
  with_errors_of(copy, "restore it", unchecked, [&] {
    {
      SQLite::Database from(copy.string(), SQLite::OPEN_READONLY, kBackupBusyMillis);
      if (checked_version(from, copy, migrations()) == 0) no_copy(copy, "is empty", StoreFault::other);
      copy_pages(from, unchecked, {});
    }
    make_single(unchecked);
    check_whole(unchecked);
    sync_path(unchecked);
    rename_durably(unchecked, unfinished);
  });
  return replace_database(file, "replaced", now);
}

}  // namespace parityd::store
