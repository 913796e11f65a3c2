#include "agent/daemon/upkeep/disk.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookEvery = 2s;

/// Hysteresis, so that space fluctuating around the floor does not switch us on and off: resuming requires an eighth
/// more.
constexpr std::int64_t with_margin(std::int64_t bytes) { return bytes + bytes / 8; }

}  // namespace

DiskState probe_disk(const std::filesystem::path& folder) {
  DiskState state;
  struct statvfs facts {};
  if (statvfs(folder.c_str(), &facts) != 0) {
    state.unwritable = std::strerror(errno);
    return state;
  }
  state.free_bytes = static_cast<std::int64_t>(facts.f_bavail) * static_cast<std::int64_t>(facts.f_frsize);
  if ((facts.f_flag & ST_RDONLY) != 0) {
    state.unwritable = "the file system is read-only";
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    state.unwritable = std::strerror(errno);
  }
  return state;
}

std::string in_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

Disk::Disk(std::filesystem::path folder, std::int64_t floor, DiskProbe probe)
    : folder_(std::move(folder)), floor_(floor), probe_(std::move(probe)) {}

bool Disk::look(executor::TimePoint now) {
  if (now < next_) return false;
  next_ = now + kLookEvery;
  const DiskState state = probe_(folder_);
  const Level level = level_of(state);
  const bool read_only = !state.unwritable.empty();
  const bool changed = level != level_ || read_only != read_only_;
  level_ = level;
  read_only_ = read_only;
  if (changed) problem_ = problem_of(state);
  return changed;
}

Disk::Level Disk::level_of(const DiskState& state) const {
  if (!state.unwritable.empty()) return Level::out;
  const std::int64_t last = floor_ / 4;
  if (state.free_bytes < (level_ == Level::out ? with_margin(last) : last)) return Level::out;
  return state.free_bytes < (level_ == Level::enough ? floor_ : with_margin(floor_)) ? Level::low : Level::enough;
}

std::string Disk::problem_of(const DiskState& state) const {
  if (!state.unwritable.empty()) {
    return fmt::format("{}: {}; make it writable for parityd", folder_.string(), state.unwritable);
  }
  if (level_ == Level::enough) return "";
  return fmt::format("{}: {} free, less than [store] disk_floor ({}); free some space", folder_.string(),
                     in_bytes(state.free_bytes), in_bytes(floor_));
}

}  // namespace parityd::agent
