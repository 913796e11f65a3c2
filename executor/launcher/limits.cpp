#include "executor/launcher/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace parityd::launcher {
namespace {

constexpr rlim_t kOpenFiles = 4096;              // CUDA and a compiler need hundreds
constexpr rlim_t kFileSize = rlim_t{512} << 20;  // above a precompiled header's 150 MB
constexpr rlim_t kOwnProcesses = 512;            // threads count too
constexpr rlim_t kUserProcesses = 32768;         // all workers of a user share it where it is counted over all of them
constexpr rlim_t kPrivateMemory = rlim_t{8} << 30;
constexpr rlim_t kPrivateMemoryWithGpu = rlim_t{16} << 30;

bool lower(decltype(RLIMIT_CORE) resource, rlim_t wanted) {
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_max = std::min(limit.rlim_max, wanted);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0;
}

}  // namespace

std::string set_limits(bool counted_apart, bool gpu) {
  // Never RLIMIT_AS: CUDA reserves huge address ranges.
  const std::array done{lower(RLIMIT_CORE, 0),
                        lower(RLIMIT_NOFILE, kOpenFiles),
                        lower(RLIMIT_FSIZE, kFileSize),
                        lower(RLIMIT_NPROC, counted_apart ? kOwnProcesses : kUserProcesses),
                        lower(RLIMIT_DATA, gpu ? kPrivateMemoryWithGpu : kPrivateMemory),
                        lower(RLIMIT_RTPRIO, 0),
                        lower(RLIMIT_NICE, 0)};
  return std::ranges::all_of(done, [](bool it) { return it; }) ? "" : std::strerror(errno);
}

}  // namespace parityd::launcher
