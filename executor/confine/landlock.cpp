#include "executor/confine/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "executor/confine/descriptor.h"

namespace parityd::confine {
namespace {

namespace fs = std::filesystem;

// Newer than the headers of some systems that we build on.
constexpr std::uint64_t kTruncate = 1ULL << 14;        // version 3
constexpr std::uint64_t kDeviceControl = 1ULL << 15;   // version 5
constexpr std::uint64_t kBindPort = 1ULL << 0;         // version 4
constexpr std::uint64_t kConnectPort = 1ULL << 1;      // version 4
constexpr std::uint64_t kAbstractSockets = 1ULL << 0;  // version 6
constexpr std::uint64_t kSignals = 1ULL << 1;          // version 6

struct Handled {  // landlock_ruleset_attr of version 6
  std::uint64_t files, network, scoped;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kMake = LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER;
constexpr std::uint64_t kWrite = kRead | kMake | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
/// Includes truncation because CUDA opens the /proc files that hold its threads' names like any other file; without it:
/// error 304.
constexpr std::uint64_t kDevice = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
                                  LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceControl;
/// Rights that apply to a file that is not a folder.
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
                                   LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kDeviceControl;

Handled handled_by(long version) {
  Handled all{.files = (1ULL << 13) - 1, .network = 0, .scoped = 0};
  all.files |= version >= 2 ? LANDLOCK_ACCESS_FS_REFER : 0;
  all.files |= version >= 3 ? kTruncate : 0;
  all.files |= version >= 5 ? kDeviceControl : 0;
  all.network = version >= 4 ? kBindPort | kConnectPort : 0;
  all.scoped = version >= 6 ? kAbstractSockets | kSignals : 0;
  return all;
}

std::size_t size_for(long version) {
  if (version >= 6) return sizeof(Handled);
  return version >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

/// 0 or an errno.
int allow(int ruleset, const fs::path& path, std::uint64_t access) {
  const executor::Descriptor opened(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat what {};
  if (opened.number() < 0 || fstat(opened.number(), &what) != 0) {
    return 0;  // a missing path needs no rule
  }
  const landlock_path_beneath_attr rule{.allowed_access = S_ISDIR(what.st_mode) ? access : access & kOfFiles,
                                        .parent_fd = opened.number()};
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 ? 0 : errno;
}

}  // namespace

std::string confine_paths(const PathRules& rules) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return std::string("the kernel has none: ") + std::strerror(errno);
  const Handled handled = handled_by(version);
  const executor::Descriptor ruleset(
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &handled, size_for(version), 0)));
  int failed = ruleset.number() < 0 ? errno : 0;
  for (const auto& [paths, access] :
       {std::pair{&rules.read, kRead}, {&rules.write, kWrite}, {&rules.devices, kDevice}}) {
    for (const auto& path : *paths) {
      failed = failed != 0 ? failed : allow(ruleset.number(), path, access & handled.files);
    }
  }
  if (failed == 0 && syscall(SYS_landlock_restrict_self, ruleset.number(), 0) != 0) failed = errno;
  return failed == 0 ? "" : std::strerror(failed);
}

}  // namespace parityd::confine
