#include "store/base/connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "oracle/json_read.h"
#include "store/base/durable.h"
#include "store/base/schema.h"

namespace parityd::store {
namespace {

constexpr int kBusyMillis = 10'000;
constexpr int kStepsBetweenLooks = 10'000;  // of SQLite's virtual machine: less than a millisecond

/// SQLite gives its side files the mode of the database: only the owner may read what programs and models wrote.
void create_privately(const std::filesystem::path& file) {
  if (file.has_parent_path() && !std::filesystem::exists(file.parent_path())) {
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::permissions(file.parent_path(), std::filesystem::perms::owner_all);
  }
  const bool there = std::filesystem::exists(file);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
  if (!there && descriptor >= 0) sync_path(std::filesystem::absolute(file).parent_path());
}

constexpr std::string_view kMakeWritable =
    "make the file and its folder writable, or choose another folder with --state";
constexpr std::string_view kHeldByAnother = "another process has it locked; try again, or end that process";
constexpr std::string_view kSetAside =
    "`parityd run` sets it aside and saves what is readable (docs/storage.md); --state DIR chooses another folder";

/// What an SQLite error means, and its remedy.
struct Meaning {
  int code;  // the primary result code, not the extended one
  StoreFault fault;
  std::string_view way_out;
};
constexpr std::array kMeanings{
    Meaning{SQLITE_FULL, StoreFault::full, "free space on that disk; nothing is stored partially"},
    Meaning{SQLITE_READONLY, StoreFault::read_only, kMakeWritable},
    Meaning{SQLITE_CANTOPEN, StoreFault::read_only, kMakeWritable},
    Meaning{SQLITE_PERM, StoreFault::read_only, kMakeWritable},
    Meaning{SQLITE_AUTH, StoreFault::read_only, kMakeWritable},
    Meaning{SQLITE_BUSY, StoreFault::busy, kHeldByAnother},
    Meaning{SQLITE_LOCKED, StoreFault::busy, kHeldByAnother},
    Meaning{SQLITE_CORRUPT, StoreFault::damaged, kSetAside},
    Meaning{SQLITE_NOTADB, StoreFault::damaged, kSetAside},
    Meaning{SQLITE_IOERR, StoreFault::io, "check the disk, then start again"},
    Meaning{SQLITE_INTERRUPT, StoreFault::slow, "the query takes too long on this database; request less at once"},
};

Meaning meaning_of(const SQLite::Exception& error) {
  const auto* const found = std::ranges::find(kMeanings, error.getErrorCode() & 0xFF, &Meaning::code);
  return found == kMeanings.end() ? Meaning{0, StoreFault::other, ""} : *found;
}

}  // namespace

StoreFault fault_of(const SQLite::Exception& error) { return meaning_of(error).fault; }

void throw_store_error(const std::filesystem::path& file, std::string_view operation, const SQLite::Exception& error) {
  const auto [code, fault, advice] = meaning_of(error);
  throw StoreError(
      fmt::format("{}: cannot {}: {}{}{}", file.string(), operation, error.what(), advice.empty() ? "" : "; ", advice),
      fault);
}

Rows::Rows(Connection& connection, const char* operation, std::string sql, std::unique_ptr<SQLite::Statement> statement)
    : connection_(&connection), operation_(operation), sql_(std::move(sql)), statement_(std::move(statement)) {}

Rows::~Rows() {
  if (statement_ == nullptr) return;
  statement_->tryReset();
  statement_->clearBindings();
  connection_->idle_[sql_].push_back(std::move(statement_));
}

void Rows::bind_one(int index, const std::vector<std::string>& names) {
  bind_one(index, oracle::compact(nlohmann::json(names)));
}

void Rows::read_one(int index, std::vector<std::string>& names) const {
  const auto json = oracle::parsed(statement_->getColumn(index).getString());
  names = json.is_array() ? json.get<std::vector<std::string>>() : std::vector<std::string>{};
}

bool Rows::next() {
  try {
    return statement_->executeStep();
  } catch (const SQLite::Exception& error) {
    connection_->fail(operation_, error);
  }
}

Connection::Connection(std::filesystem::path file, Access access, std::chrono::milliseconds read_limit)
    : file_(std::move(file)), access_(access), read_limit_(read_limit) {
  try {
    open(access);
    opened_ = true;
  } catch (const SQLite::Exception& error) {
    throw_store_error(file_, access == Access::read ? "open it for reading" : "open it", error);
  } catch (const std::filesystem::filesystem_error& error) {
    throw StoreError(
        fmt::format(
            "{}: cannot create {}: {}; free space, make the folder writable, or choose another one with --state",
            file_.string(), error.path1().string(), error.code().message()),
        error.code() == std::errc::no_space_on_device ? StoreFault::full : StoreFault::read_only);
  }
}

Connection::~Connection() {
  idle_.clear();
  const bool clean = access_ == Access::write && opened_ && trusted_ && sound_ && depth_ == 0;
  if (clean) {
    try {
      checkpoint();
    } catch (const StoreError&) {  // closing the database tries again
    }
  }
  database_.reset();
  if (clean && trusted_) leave_clean_mark(file_);
}

void Connection::fail(const char* operation, const SQLite::Exception& error) {
  const StoreFault fault = fault_of(error);
  trusted_ = trusted_ && fault != StoreFault::io && fault != StoreFault::damaged;
  throw_store_error(file_, operation, error);
}

void Connection::check_trusted(const char* operation) const {
  if (trusted_) return;
  throw StoreError(
      fmt::format(
          "{}: cannot {}: this connection is no longer used after a disk error or damage to the file; reopen it",
          file_.string(), operation),
      StoreFault::io);
}

bool Connection::checkpoint() {
  check_trusted("empty the write-ahead log");
  int frames = 0, moved = 0;
  database_->setBusyTimeout(0);  // do not wait for readers
  const int code =
      sqlite3_wal_checkpoint_v2(database_->getHandle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, &frames, &moved);
  database_->setBusyTimeout(kBusyMillis);
  if (code == SQLITE_OK) return true;
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return false;
  fail("empty the write-ahead log", SQLite::Exception(database_->getHandle(), code));
}

void Connection::open(Access access) {
  if (access != Access::write && !std::filesystem::exists(file_)) {
    throw StoreError(fmt::format(
        "{}: there is no database yet; `parityd run` creates one, --state DIR chooses another folder", file_.string()));
  }
  if (access == Access::write) {
    create_privately(file_);
    sound_ = take_clean_mark(file_);
  } else if (access == Access::request) {
    std::error_code ignored;  // a writer beside the daemon: if it is killed, the next start checks
    std::filesystem::remove(clean_mark_of(file_), ignored);
  }
  const int flags = access == Access::read ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE;
  database_ = std::make_unique<SQLite::Database>(file_.string(), flags, kBusyMillis);
  const int newest = migrations().back().version;
  const int version = checked_version(*database_, file_, migrations());
  if (access != Access::write) {
    if (version != newest) {
      throw StoreError(fmt::format("{}: has schema {}, this parityd needs {}; `parityd run` upgrades it",
                                   file_.string(), version, newest));
    }
    database_->exec("PRAGMA foreign_keys = ON");
    if (access == Access::read) {
      database_->exec("PRAGMA query_only = ON");
      sqlite3_progress_handler(
          database_->getHandle(), kStepsBetweenLooks,
          [](void* until) {
            return std::chrono::steady_clock::now() > *static_cast<std::chrono::steady_clock::time_point*>(until) ? 1
                                                                                                                  : 0;
          },
          &read_until_);
    }
    return;
  }
  // Statements with a result, so exec() cannot run them: the journal mode returns its name.
  SQLite::Statement(*database_, "PRAGMA journal_mode = WAL").executeStep();
  database_->exec("PRAGMA synchronous = FULL");
  database_->exec("PRAGMA foreign_keys = ON");
  SQLite::Statement(*database_, "PRAGMA journal_size_limit = 67108864").executeStep();
  migrate(*database_, file_, migrations());
}

Rows Connection::prepared(const char* operation, const char* sql) {
  check_trusted(operation);
  read_until_ = std::chrono::steady_clock::now() + read_limit_;
  auto& idle = idle_[sql];
  std::unique_ptr<SQLite::Statement> statement;
  if (idle.empty()) {
    try {
      statement = std::make_unique<SQLite::Statement>(*database_, sql);
    } catch (const SQLite::Exception& error) {
      fail(operation, error);
    }
  } else {
    statement = std::move(idle.back());
    idle.pop_back();
  }
  return {*this, operation, sql, std::move(statement)};
}

void Connection::execute(const char* operation, const char* sql) {
  check_trusted(operation);
  try {
    database_->exec(sql);
  } catch (const SQLite::Exception& error) {
    fail(operation, error);
  }
}

void Connection::transaction(const std::function<void()>& work) {
  if (depth_ == 0) {
    execute("begin a transaction", "BEGIN IMMEDIATE");
    doomed_ = false;
  }
  ++depth_;
  try {
    work();
    if (--depth_ > 0) return;
    if (doomed_) {
      throw StoreError(fmt::format("{}: a step of the transaction failed, so it was rolled back", file_.string()));
    }
    execute("commit", "COMMIT");
  } catch (...) {
    doomed_ = true;
    ++failed_;
    if (depth_ > 0 && --depth_ > 0) throw;
    try {
      database_->exec("ROLLBACK");
    } catch (const SQLite::Exception&) {  // SQLite rolled back on its own: full disk, I/O error
    }
    throw;
  }
}

}  // namespace parityd::store
