// How a database is opened, and what goes wrong with it. Errors: StoreError names file, operation and the way out.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>

namespace parityd::store {

/// What kind of thing went wrong, as far as callers do something about it.
enum class StoreFault {
  other,      // a broken rule of the schema, a mistake of ours, a missing or newer database
  full,       // no space on that disk
  read_only,  // file or folder cannot be written
  io,         // the disk failed: the connection is not trusted any more and refuses all further work
  damaged,    // the file is no sound database: the same
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

/// write: the daemon's. read: sees everything, changes nothing. request: a database as it is, for Requests::add()
/// beside a running daemon.
enum class Access { write, read, request };

/// One statement of a reader may take so long: its snapshot keeps the write-ahead log from being emptied.
inline constexpr std::chrono::seconds kReadLimit{60};

}  // namespace parityd::store
