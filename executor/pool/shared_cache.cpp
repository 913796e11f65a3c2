#include "executor/pool/shared_cache.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <fstream>

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAskAgain{1};

}  // namespace

SharedCache::SharedCache(fs::path folder, std::string device)
    : folder_(std::move(folder)), device_(std::move(device)) {}

fs::path SharedCache::mark(const std::string& device) const { return folder_ / ("primed-" + device); }

bool SharedCache::whole() const {
  std::error_code ignored;  // what cannot be looked at is missing
  return folder_.empty() || fs::exists(mark(device_), ignored);
}

bool SharedCache::may_build(TimePoint now) {
  if (building()) {
    return true;
  }
  if (now < next_) {
    return false;
  }
  std::error_code ignored;  // who primes it will say what is wrong
  fs::create_directories(folder_, ignored);
  Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open() && flock(folder.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    next_ = now + kAskAgain;
    return false;
  }
  if (whole()) {  // by who had it until now
    return false;
  }
  lock_ = std::move(folder);  // without a lock where there are none: as if nobody else built it
  return true;
}

void SharedCache::release(const std::optional<std::string>& torch) {
  if (torch) {
    std::ofstream(mark("cpu")) << *torch << "\n";  // whoever primes for a GPU primes for the processors first
    std::ofstream(mark(device_)) << *torch << "\n";
  }
  lock_.reset();
}

}  // namespace parityd::executor
