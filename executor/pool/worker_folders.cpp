#include "executor/pool/worker_folders.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "executor/artefact.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

// Shared by the children of one fork parent and mounted into its sandbox (docs/protocol.md): these folders stay.
constexpr std::string_view kMounted = "torchinductor_parityd";
constexpr std::string_view kHeaders = "precompiled_headers";

/// A folder itself, not a link to one: a program may replace what it owns.
bool is_real_folder(const fs::path& path) {
  std::error_code failed;
  return fs::is_directory(fs::symlink_status(path, failed));
}

void empty_folder(const fs::path& folder) {
  std::error_code failed;
  if (!is_real_folder(folder)) {
    fs::remove(folder, failed);
    return;
  }
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().filename() != kMounted) {
      std::error_code ignored;
      fs::remove_all(entry->path(), ignored);
    }
  }
}

/// Whether `seen` is still what the launcher made of `cached`: an empty file under a mount, or a link.
bool as_launched(const fs::directory_entry& seen, const fs::path& cached, bool mounted) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(cached, failed))) return false;
  if (mounted) return fs::is_regular_file(seen.symlink_status(failed)) && fs::file_size(seen.path(), failed) == 0;
  return fs::is_symlink(seen.symlink_status(failed)) && fs::read_symlink(seen.path(), failed) == cached;
}

void restore_headers(const fs::path& seen, const fs::path& cached, bool mounted) {
  std::error_code failed;
  if (!is_real_folder(seen)) {
    fs::remove_all(seen, failed);
    fs::create_directory(seen, failed);
  }
  for (fs::directory_iterator entry(seen, failed), end; !failed && entry != end; entry.increment(failed)) {
    const fs::path original = cached / entry->path().filename();
    std::error_code ignored;
    if (is_real_folder(entry->path()) && is_real_folder(original)) {
      restore_headers(entry->path(), original, mounted);
    } else if (!as_launched(*entry, original, mounted)) {
      fs::remove_all(entry->path(), ignored);
    }
  }
  for (fs::directory_iterator entry(cached, failed), end; !mounted && !failed && entry != end;
       entry.increment(failed)) {
    std::error_code there;
    if (entry->is_regular_file(there)) fs::create_symlink(entry->path(), seen / entry->path().filename(), there);
  }
}

/// Opens a folder below another without following any link on the way.
Descriptor open_below(const fs::path& root, const fs::path& relative) {
  Descriptor folder(open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  for (const auto& part : relative) {
    folder = Descriptor(openat(folder.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return folder;
}

constexpr std::chrono::seconds kAskAgain{1};

}  // namespace

fs::path job_folder(const fs::path& scratch, std::int64_t id) { return scratch / "jobs" / fmt::format("{}", id); }

void take_artefacts(const fs::path& scratch, std::int64_t id, const fs::path& artefacts,
                    std::span<const oracle::Mode> modes) {
  fs::create_directories(artefacts);
  const Descriptor from = open_below(scratch, job_folder({}, id) / "artefacts");
  if (!from.open()) {
    return;  // none was written
  }
  const Descriptor to(open(artefacts.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  for (const oracle::Mode mode : modes) {
    const std::string name = artefact_name(mode);
    if (renameat(from.number(), name.c_str(), to.number(), name.c_str()) != 0 && errno != ENOENT) {
      throw std::system_error(errno, std::generic_category(), "cannot move " + name + " to " + artefacts.string());
    }
  }
}

std::string taken_text(const fs::path& scratch, std::int64_t id) {
  constexpr std::size_t kMost = std::size_t{2} << 20;
  const Descriptor folder = open_below(scratch, job_folder({}, id) / "artefacts");
  if (!folder.open()) return {};
  const Descriptor file(
      openat(folder.number(), std::string(kToolText).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat facts {};
  if (!file.open() || fstat(file.number(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  std::string text(std::min(kMost, static_cast<std::size_t>(facts.st_size)), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count = ::read(file.number(), text.data() + filled, text.size() - filled);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return text;
}

void clean_up(const fs::path& scratch, const SharedHeader& header) {
  for (const char* folder : {"jobs", "tmp", "home", "inductor", "triton"}) {
    empty_folder(scratch / folder);
  }
  if (is_real_folder(scratch / "tmp")) {
    restore_headers(scratch / "tmp" / kMounted / kHeaders, header.cache / "inductor" / kHeaders, header.mounted);
  }
}

SharedCache::SharedCache(fs::path folder, std::string device)
    : folder_(std::move(folder)), device_(std::move(device)) {}

fs::path SharedCache::mark(const std::string& device) const { return folder_ / ("primed-" + device); }

bool SharedCache::whole() const {
  std::error_code ignored;  // what cannot be read counts as missing
  return folder_.empty() || fs::exists(mark(device_), ignored);
}

bool SharedCache::may_build(TimePoint now) {
  if (building()) return true;
  if (now < next_) return false;
  std::error_code ignored;  // the process that primes it will report what is wrong
  fs::create_directories(folder_, ignored);
  Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open() && flock(folder.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    next_ = now + kAskAgain;
    return false;
  }
  if (whole()) {  // built by the previous holder
    return false;
  }
  lock_ = std::move(folder);  // proceeds without a lock on file systems that have none
  return true;
}

void SharedCache::release(const std::optional<std::string>& torch) {
  if (torch) {
    std::ofstream(mark("cpu")) << *torch << "\n";  // priming for a GPU starts with the processors
    std::ofstream(mark(device_)) << *torch << "\n";
  }
  lock_.reset();
}

}  // namespace parityd::executor
