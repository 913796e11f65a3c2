// SQLite's own file layer, whose n-th call fails, or behind which the power goes. For tests only; one thread.
//
// While one lives it is the default VFS, so a store opened meanwhile uses it. Nothing is really synced: what counts as
// on the disk is kept in memory, and lose_power() writes back what a disk may hold afterwards.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace parityd::tests {

enum class FileCall { open, read, write, sync, any_change };  // any_change: write, truncate, sync or delete

class FaultVfs {
 public:
  FaultVfs();
  ~FaultVfs();
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;

  /// The `number`-th such call from now on, from 1, answers `code`; so do all after it where `lasting`.
  void fail(FileCall call, int number, int code, bool lasting);
  /// From the `number`-th change on nothing reaches the disk any more, and everything answers SQLITE_IOERR.
  void cut_power(int number) {
    fail(FileCall::any_change, number, SQLITE_IOERR, true);
    powerless_ = true;
  }
  /// No further call fails.
  void heal();
  [[nodiscard]] bool struck() const { return struck_; }

  /// Leaves each file as a disk may: what was synced, and of the writes since any of their sectors, in any order, whole
  /// or not at all; files not synced since they came or went may be there or not. Everything must be closed.
  void lose_power(std::uint64_t seed);

 private:
  struct Change {
    std::int64_t offset = 0;
    std::string bytes;  // a write; else the file was cut to `offset`
    bool is_write = false;
  };
  struct Disk {
    std::string durable;
    std::vector<Change> since;
    bool name_durable = true;  // else it may be missing
    bool deleted = false;      // else it may be back
  };
  struct File;
  friend struct File;
  static const sqlite3_io_methods* methods();

  /// SQLITE_OK, or what this call answers.
  [[nodiscard]] int strike(FileCall call);
  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags);
  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder);
  [[nodiscard]] static std::string after_power_loss(const Disk& disk, std::mt19937_64& random);

  sqlite3_vfs* real_;
  sqlite3_vfs vfs_{};
  std::map<std::string, Disk> disks_;
  FileCall call_ = FileCall::write;
  int left_ = 0;  // calls until one fails; 0: none will
  int code_ = SQLITE_OK;
  bool lasting_ = false;
  bool failing_ = false;
  bool struck_ = false;
  bool powerless_ = false;
};

}  // namespace parityd::tests
