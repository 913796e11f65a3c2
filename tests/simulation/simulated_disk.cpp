#include "tests/simulation/simulated_disk.h"

#include <new>
#include <stdexcept>

namespace parityd::simulation {
namespace {

constexpr int kAlignment = 16;

/// Lies behind SQLite's own file in the room that it gives each file.
struct Extra {
  const sqlite3_io_methods* below = nullptr;
  sqlite3_io_methods methods{};
  const SimulatedDisk* disk = nullptr;
};

int room_below() { return (sqlite3_vfs_find("unix")->szOsFile + kAlignment - 1) / kAlignment * kAlignment; }

Extra& extra_of(sqlite3_file* file) {
  return *std::launder(reinterpret_cast<Extra*>(reinterpret_cast<char*>(file) + room_below()));
}

int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
  const Extra& extra = extra_of(file);
  return extra.disk->full() ? SQLITE_FULL : extra.below->xWrite(file, bytes, count, at);
}

int sync(sqlite3_file*, int) { return SQLITE_OK; }

/// Everything but writing and syncing stays what it was.
int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* const below = sqlite3_vfs_find("unix");
  const int result = below->xOpen(below, name, file, flags, flags_out);
  if (result != SQLITE_OK || file->pMethods == nullptr) {
    return result;
  }
  auto* const extra = new (reinterpret_cast<char*>(file) + room_below()) Extra{
      .below = file->pMethods, .methods = *file->pMethods, .disk = static_cast<const SimulatedDisk*>(vfs->pAppData)};
  extra->methods.xWrite = write;
  extra->methods.xSync = sync;
  file->pMethods = &extra->methods;
  return result;
}

}  // namespace

SimulatedDisk::SimulatedDisk() : below_(sqlite3_vfs_find("unix")), vfs_(*below_) {
  vfs_.zName = "parityd-simulation";
  vfs_.pNext = nullptr;
  vfs_.pAppData = this;
  vfs_.szOsFile = room_below() + static_cast<int>(sizeof(Extra));
  vfs_.xOpen = open;
  if (sqlite3_vfs_register(&vfs_, 1) != SQLITE_OK) {
    throw std::runtime_error("SQLite takes no other file system");
  }
}

SimulatedDisk::~SimulatedDisk() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(below_, 1);
}

}  // namespace parityd::simulation
