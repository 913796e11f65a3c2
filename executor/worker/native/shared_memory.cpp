#include "shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>
#include <vector>

#include "executor/confine/descriptor.h"
#include "mappings.h"

namespace parityd::worker {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

constexpr std::size_t kMost = std::size_t{64} << 20;  // locks take a page; anything this large is not a lock

/// Atomically replaces `mapping` with a private copy of its contents. False if it cannot be read completely: a file may
/// be shorter than its mapping.
bool copy_in_place(const Mapping& mapping, int memory) {
  const std::size_t size = mapping.end - mapping.begin;
  if (size > kMost) return false;
  void* const copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  auto* const bytes = static_cast<char*>(copy);
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = pread(memory, bytes + done, size - done, static_cast<off_t>(mapping.begin + done));
    if (count <= 0) {
      munmap(copy, size);
      return false;
    }
    done += static_cast<std::size_t>(count);
  }
  void* const place = reinterpret_cast<void*>(mapping.begin);
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) fail("mremap");
  return true;
}

}  // namespace

void own_shared_memory() {
  const executor::Descriptor maps(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  if (!maps.open()) fail("/proc/self/maps");
  const executor::Descriptor memory(open("/proc/self/mem", O_RDONLY | O_CLOEXEC));
  std::vector<Mapping> shared;
  each_mapping(maps.number(), [&](const Mapping& mapping) {
    if (mapping.shared && mapping.writable) shared.push_back(mapping);
    return true;
  });
  for (const Mapping& mapping : shared) {
    const bool copied = !mapping.of_device && memory.open() && copy_in_place(mapping, memory.number());
    if (!copied) madvise(reinterpret_cast<void*>(mapping.begin), mapping.end - mapping.begin, MADV_DONTFORK);
  }
}

}  // namespace parityd::worker
