#include "store/base/copy.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "store/base/durable.h"
#include "store/base/error.h"

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

constexpr int kPagesAStep = 1000;
constexpr int kCopyBusyMillis = 10'000;

void create_empty(const fs::path& file) {
  fs::remove(file);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw StoreError(fmt::format("{}: cannot be written; choose another path", file.string()), StoreFault::read_only);
  }
  ::close(descriptor);
}

}  // namespace

void copy_pages(SQLite::Database& from, const fs::path& unfinished, const BackupProgress& progress) {
  create_empty(unfinished);
  SQLite::Database target(unfinished.string(), SQLite::OPEN_READWRITE, kCopyBusyMillis);
  SQLite::Backup backup(target, from);
  do {
    (void)backup.executeStep(kPagesAStep);
    if (progress) progress(backup.getTotalPageCount() - backup.getRemainingPageCount(), backup.getTotalPageCount());
  } while (backup.getRemainingPageCount() > 0);
}

void make_single(const fs::path& unfinished) {
  SQLite::Database database(unfinished.string(), SQLite::OPEN_READWRITE, kCopyBusyMillis);
  SQLite::Statement(database, "PRAGMA journal_mode = DELETE").executeStep();
}

void copy_database(SQLite::Database& from, const fs::path& copy) {
  const fs::path unfinished = copy.string() + ".new";
  copy_pages(from, unfinished, {});
  make_single(unfinished);
  sync_path(unfinished);
  rename_durably(unfinished, copy);
}

}  // namespace parityd::store
