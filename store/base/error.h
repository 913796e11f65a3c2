// How a database is opened, and its errors. StoreError names file, operation and remedy.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace parityd::store {

/// The kinds of fault that callers handle differently.
enum class StoreFault {
  other,      // a violated rule of the schema, a bug of parityd, a missing or newer database
  full,       // no space on that disk
  read_only,  // file or folder cannot be written
  io,         // the disk failed: the connection is no longer trusted and refuses all further work
  damaged,    // the file is not a sound database: as io
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

/// write: for the daemon. read: sees everything, changes nothing. request: an existing database, for Requests::add()
/// beside a running daemon.
enum class Access { write, read, request };

/// The time limit of one statement of a reader: its snapshot prevents the write-ahead log from being emptied.
inline constexpr std::chrono::seconds kReadLimit{60};

}  // namespace parityd::store
