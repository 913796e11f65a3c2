#include "pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "crash_handler.h"
#include "mappings.h"
#include "shared_memory.h"

extern "C" {
// Where the kernel writes the number of the processor that a thread runs on (glibc 2.35).
extern const std::ptrdiff_t __rseq_offset __attribute__((weak));
}

namespace parityd::worker {
namespace {

constexpr std::size_t kBlock = 4096;                // no page is smaller
constexpr std::uint64_t kOdd = 0x9FB21C651E98DF25;  // any odd number that mixes well

// A page's entry in /proc/self/pagemap.
constexpr std::uint64_t kExclusive = std::uint64_t{1} << 56;
constexpr std::uint64_t kOfFile = std::uint64_t{1} << 61;
constexpr std::uint64_t kSwapped = std::uint64_t{1} << 62;
constexpr std::uint64_t kPresent = std::uint64_t{1} << 63;

constexpr std::size_t kRseqSize = 32;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

/// 0 for memory that is all zeros, as a page that was never written reads.
std::uint64_t digest_of(const void* memory, std::size_t size) {
  std::array<std::uint64_t, 8> lanes{};
  std::array<std::uint64_t, 8> words{};
  std::uint64_t any = 0;
  const auto* bytes = static_cast<const char*>(memory);
  for (std::size_t at = 0; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words.data(), bytes + at, sizeof words);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      any |= words[lane];
      lanes[lane] = (lanes[lane] ^ words[lane]) * kOdd + 1;
    }
  }
  std::uint64_t mixed = 0;
  for (const std::uint64_t lane : lanes) mixed = (mixed ^ lane ^ (lane >> 29)) * kOdd;
  return any == 0 ? 0 : mixed | 1;
}

void blank(char* copy, std::uintptr_t block, std::uintptr_t from, std::uintptr_t to) {
  from = std::max(from, block);
  to = std::min(to, block + kBlock);
  if (from < to) std::memset(copy + (from - block), 0, to - from);
}

std::uintptr_t rseq_area() {
  if (&__rseq_offset == nullptr) return 0;
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer()) + static_cast<std::uintptr_t>(__rseq_offset);
}

void leave_twin_behind() {
  const pid_t copy = fork();
  if (copy < 0) fail("fork");
  if (copy == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);  // so that its number is also that of its group
    return;
  }
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NAME, "parityd-twin");
  close_range(0, ~0U, 0);  // above all the channel, whose end others wait for
  int how = 0;
  while (waitpid(copy, &how, 0) != copy) {
  }
  _exit(WIFSIGNALED(how) ? kEndedBySignal + WTERMSIG(how) : WEXITSTATUS(how));
}

}  // namespace

Pages::Pages(const void* frame)
    : frame_(reinterpret_cast<std::uintptr_t>(frame)), page_size_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
  leave_twin_behind();
  maps_ = executor::Descriptor(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  pagemap_ = executor::Descriptor(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!maps_.open() || !pagemap_.open()) fail("/proc/self");
  own_shared_memory();
  std::size_t pages = 0;
  visit([&](std::uintptr_t, std::uint64_t) { return ++pages != 0; });
  room_ = pages + pages / 8;
  void* const table = mmap(nullptr, room_ * sizeof(Noted), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (table == MAP_FAILED) fail("mmap");
  noted_ = static_cast<Noted*>(table);
  note_pages();
  find_restless();
}

Pages::~Pages() { munmap(noted_, room_ * sizeof(Noted)); }

void Pages::note_pages() {
  errno = 0;  // the result lies in memory like everything else
  const bool fitted = visit([&](std::uintptr_t page, std::uint64_t) {
    const std::uint64_t noted = digest(page);
    if (noted == 0) return true;  // as it reads if it was never written
    if (size_ == room_) return false;
    noted_[size_++] = {.page = page, .digest = noted};
    return true;
  });
  if (!fitted) throw std::system_error(ENOMEM, std::generic_category(), "pages were added while they were counted");
}

/// Uses forks that do nothing: what changes then changes with every child.
void Pages::find_restless() {
  constexpr int kForks = 3;
  for (int forked = 0; forked < kForks; ++forked) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, nullptr, 0) != child) fail("fork");
    for (Look now = look(); now.changed != 0; now = look()) {
      if (now.changed == 1 || restless_count_ == restless_.size())
        throw std::system_error(EBUSY, std::generic_category(), "the memory of a fork parent keeps changing");
      restless_[restless_count_++] = now.changed;
    }
  }
}

bool Pages::is_restless(std::uintptr_t page) const {
  return std::find(restless_.begin(), restless_.begin() + static_cast<std::ptrdiff_t>(restless_count_), page) !=
         restless_.begin() + static_cast<std::ptrdiff_t>(restless_count_);
}

/// Visits every page of this process's own memory in order of addresses, except the table itself and the stack below
/// the frame, until `visit` returns false.
template <class Visit>
bool Pages::visit(Visit visit) const {
  const auto table = reinterpret_cast<std::uintptr_t>(noted_);
  return each_mapping(maps_.number(), [&](const Mapping& mapping) {
    if (mapping.shared || !mapping.readable || mapping.of_kernel || mapping.begin == table) return true;
    const bool stack = mapping.begin <= frame_ && frame_ < mapping.end;
    const std::uintptr_t begin = stack ? frame_ / page_size_ * page_size_ : mapping.begin;
    std::array<std::uint64_t, 1024> entries{};
    for (std::uintptr_t at = begin; at < mapping.end;) {
      const std::size_t count = std::min(entries.size(), (mapping.end - at) / page_size_);
      const auto size = static_cast<ssize_t>(count * sizeof entries[0]);
      if (pread(pagemap_.number(), entries.data(), static_cast<std::size_t>(size),
                static_cast<off_t>(at / page_size_ * sizeof entries[0])) != size) {
        return false;
      }
      for (std::size_t index = 0; index < count; ++index, at += page_size_) {
        const bool own = (entries[index] & (kPresent | kSwapped)) != 0 && (entries[index] & kOfFile) == 0;
        if (own && !visit(at, entries[index])) return false;
      }
    }
    return true;
  });
}

std::uint64_t Pages::digest(std::uintptr_t page) const {
  const std::uintptr_t rseq = rseq_area();
  std::uint64_t all = 0;
  for (std::uintptr_t block = page; block < page + page_size_; block += kBlock) {
    const bool holds_rseq = rseq != 0 && rseq < block + kBlock && rseq + kRseqSize > block;
    const bool holds_frame = frame_ > block && frame_ < block + kBlock;
    if (!holds_rseq && !holds_frame) {
      all = all * kOdd + digest_of(reinterpret_cast<const void*>(block), kBlock);
      continue;
    }
    alignas(64) std::array<char, kBlock> copy;
    std::memcpy(copy.data(), reinterpret_cast<const void*>(block), kBlock);
    if (holds_rseq) blank(copy.data(), block, rseq, rseq + kRseqSize);
    if (holds_frame) blank(copy.data(), block, block, frame_);
    all = all * kOdd + digest_of(copy.data(), kBlock);
  }
  return all;
}

Pages::Look Pages::look() const {
  errno = 0;
  Look look{.digest = digest_of(noted_, size_ * sizeof(Noted)), .changed = 0};
  std::size_t next = 0;
  const auto differs = [&](std::uintptr_t page) {
    look.changed = page;
    return false;
  };
  const bool same = visit([&](std::uintptr_t page, std::uint64_t entry) {
    while (next < size_ && noted_[next].page < page && is_restless(noted_[next].page)) ++next;
    if (next < size_ && noted_[next].page < page) return differs(noted_[next].page);  // it has disappeared
    const bool known = next < size_ && noted_[next].page == page;
    const std::uint64_t expected = known ? noted_[next].digest : 0;
    next += known ? 1 : 0;
    const bool untouched = known && (entry & kPresent) != 0 && (entry & kExclusive) == 0;
    return untouched || digest(page) == expected || is_restless(page) || differs(page);
  });
  if (same && next != size_) differs(noted_[next].page);
  if (!same && look.changed == 0) look.changed = 1;  // /proc could not be read
  return look;
}

}  // namespace parityd::worker
