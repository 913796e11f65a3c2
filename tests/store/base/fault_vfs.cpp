#include "tests/store/base/fault_vfs.h"
#include "tests/files.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace parityd::tests {
namespace {

constexpr std::size_t kSector = 512;

void overwrite(std::string& text, std::size_t offset, const std::string& bytes) {
  if (text.size() < offset + bytes.size()) text.resize(offset + bytes.size(), '\0');
  text.replace(offset, bytes.size(), bytes);
}

}  // namespace

/// SQLite gives the memory; the real file's own lies behind.
struct FaultVfs::File {
  sqlite3_file base;
  FaultVfs* vfs;
  Disk* disk;  // null: a temporary file

  static File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }

  static int close(sqlite3_file* file) {
    File& self = of(file);
    return self.real()->pMethods != nullptr ? self.real()->pMethods->xClose(self.real()) : SQLITE_OK;
  }
  static int read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
    File& self = of(file);
    if (const int code = self.vfs->strike(FileCall::read); code != SQLITE_OK) return code;
    return self.real()->pMethods->xRead(self.real(), bytes, count, offset);
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    File& self = of(file);
    if (const int code = self.vfs->strike(FileCall::write); code != SQLITE_OK) return code;
    if (self.disk != nullptr) {
      self.disk->since.push_back(
          {.offset = offset,
           .bytes = std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(count)),
           .is_write = true});
    }
    return self.real()->pMethods->xWrite(self.real(), bytes, count, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    File& self = of(file);
    if (const int code = self.vfs->strike(FileCall::any_change); code != SQLITE_OK) return code;
    if (self.disk != nullptr) self.disk->since.push_back({.offset = size, .bytes = {}});
    return self.real()->pMethods->xTruncate(self.real(), size);
  }
  static int sync(sqlite3_file* file, int) {
    File& self = of(file);
    if (const int code = self.vfs->strike(FileCall::sync); code != SQLITE_OK) return code;
    if (self.disk == nullptr) return SQLITE_OK;
    for (const Change& change : self.disk->since) {
      if (change.is_write) {
        overwrite(self.disk->durable, static_cast<std::size_t>(change.offset), change.bytes);
      } else {
        self.disk->durable.resize(static_cast<std::size_t>(change.offset));
      }
    }
    self.disk->since.clear();
    self.disk->name_durable = true;
    return SQLITE_OK;
  }
  static int size(sqlite3_file* file, sqlite3_int64* bytes) {
    return of(file).real()->pMethods->xFileSize(of(file).real(), bytes);
  }
  static int lock(sqlite3_file* file, int level) { return of(file).real()->pMethods->xLock(of(file).real(), level); }
  static int unlock(sqlite3_file* file, int level) {
    return of(file).real()->pMethods->xUnlock(of(file).real(), level);
  }
  static int reserved(sqlite3_file* file, int* result) {
    return of(file).real()->pMethods->xCheckReservedLock(of(file).real(), result);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return of(file).real()->pMethods->xFileControl(of(file).real(), operation, argument);
  }
  static int sector(sqlite3_file*) { return static_cast<int>(kSector); }
  static int device(sqlite3_file*) { return 0; }  // promises nothing: neither atomic nor in order
  static int map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
    return of(file).real()->pMethods->xShmMap(of(file).real(), page, size, extend, memory);
  }
  static int map_lock(sqlite3_file* file, int offset, int count, int flags) {
    return of(file).real()->pMethods->xShmLock(of(file).real(), offset, count, flags);
  }
  static void barrier(sqlite3_file* file) { of(file).real()->pMethods->xShmBarrier(of(file).real()); }
  static int unmap(sqlite3_file* file, int remove) {
    return of(file).real()->pMethods->xShmUnmap(of(file).real(), remove);
  }
};

const sqlite3_io_methods* FaultVfs::methods() {
  static const sqlite3_io_methods all = [] {
    sqlite3_io_methods made{};
    made.iVersion = 2;
    made.xClose = File::close;
    made.xRead = File::read;
    made.xWrite = File::write;
    made.xTruncate = File::truncate;
    made.xSync = File::sync;
    made.xFileSize = File::size;
    made.xLock = File::lock;
    made.xUnlock = File::unlock;
    made.xCheckReservedLock = File::reserved;
    made.xFileControl = File::control;
    made.xSectorSize = File::sector;
    made.xDeviceCharacteristics = File::device;
    made.xShmMap = File::map;
    made.xShmLock = File::map_lock;
    made.xShmBarrier = File::barrier;
    made.xShmUnmap = File::unmap;
    return made;
  }();
  return &all;
}

FaultVfs::FaultVfs() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
  vfs_.zName = "faults";
  vfs_.pAppData = this;
  vfs_.pNext = nullptr;
  vfs_.xOpen = open;
  vfs_.xDelete = remove;
  sqlite3_vfs_register(&vfs_, 1);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&vfs_);
  sqlite3_vfs_register(real_, 1);
}

void FaultVfs::fail(FileCall call, int number, int code, bool lasting) {
  call_ = call;
  left_ = number;
  code_ = code;
  lasting_ = lasting;
  failing_ = struck_ = powerless_ = false;
}

void FaultVfs::heal() {
  left_ = 0;
  failing_ = powerless_ = false;
}

int FaultVfs::strike(FileCall call) {
  const bool change = call == FileCall::write || call == FileCall::sync || call == FileCall::any_change;
  if (failing_ && powerless_ && change) return code_;
  if (call != call_ && !(call_ == FileCall::any_change && change)) return SQLITE_OK;
  if (failing_) return code_;
  if (left_ == 0 || --left_ > 0) return SQLITE_OK;
  struck_ = true;
  failing_ = lasting_;
  return code_;
}

int FaultVfs::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto& self = *static_cast<FaultVfs*>(vfs->pAppData);
  auto* made = new (file) File{};
  made->vfs = &self;
  if (const int code = self.strike(FileCall::open); code != SQLITE_OK) return code;
  const bool there = name != nullptr && std::filesystem::exists(name);
  const int code = self.real_->xOpen(self.real_, name, made->real(), flags, out_flags);
  if (code != SQLITE_OK) return code;
  made->base.pMethods = methods();
  if (name == nullptr) return SQLITE_OK;
  const bool known = self.disks_.contains(name) && !self.disks_[name].deleted;
  Disk& disk = self.disks_[name];
  if (!known) disk = {.durable = there ? read_file(name) : "", .since = {}, .name_durable = there};
  made->disk = &disk;
  return SQLITE_OK;
}

int FaultVfs::remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  auto& self = *static_cast<FaultVfs*>(vfs->pAppData);
  if (const int code = self.strike(FileCall::any_change); code != SQLITE_OK) return SQLITE_IOERR_DELETE;
  if (const auto disk = self.disks_.find(name); disk != self.disks_.end()) {
    disk->second.deleted = true;
    if (sync_folder != 0) self.disks_.erase(disk);
  }
  return self.real_->xDelete(self.real_, name, 0);
}

std::string FaultVfs::after_power_loss(const Disk& disk, std::mt19937_64& random) {
  std::vector<Change> sectors;
  for (const Change& change : disk.since) {
    for (std::size_t at = 0; change.is_write && at < change.bytes.size();) {
      const std::size_t offset = static_cast<std::size_t>(change.offset) + at;
      const std::size_t length = std::min(kSector - offset % kSector, change.bytes.size() - at);
      sectors.push_back(
          {.offset = static_cast<std::int64_t>(offset), .bytes = change.bytes.substr(at, length), .is_write = true});
      at += length;
    }
    if (!change.is_write) sectors.push_back(change);
  }
  std::shuffle(sectors.begin(), sectors.end(), random);
  std::string text = disk.durable;
  for (const Change& change : sectors) {
    if (random() % 2 == 0) continue;
    if (change.is_write) {
      overwrite(text, static_cast<std::size_t>(change.offset), change.bytes);
    } else {
      text.resize(std::min(text.size(), static_cast<std::size_t>(change.offset)));
    }
  }
  return text;
}

void FaultVfs::lose_power(std::uint64_t seed) {
  heal();
  std::mt19937_64 random(seed);
  for (const auto& [name, disk] : disks_) {
    const bool in_doubt = disk.deleted || !disk.name_durable;
    if (in_doubt && random() % 2 == 0) {
      std::filesystem::remove(name);
      continue;
    }
    std::ofstream(name, std::ios::binary | std::ios::trunc) << after_power_loss(disk, random);
    std::filesystem::remove(name + "-shm");  // memory
  }
  disks_.clear();
}

}  // namespace parityd::tests
