// A process's memory mappings: the lines of /proc/PID/maps (proc(5)), read without allocating. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parityd::worker {

struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool readable = false, writable = false, shared = false;
  bool of_device = false;  // more than memory: most files of /dev, io_uring
  bool of_kernel = false;  // [vvar], [vdso], [vsyscall]: the kernel changes their contents by itself
};

/// Returns mappings one after another, in order of addresses.
class MappingReader {
 public:
  /// `descriptor`: of the open file, which is read from its beginning.
  explicit MappingReader(int descriptor);
  /// False at the end.
  [[nodiscard]] bool next(Mapping& mapping);

 private:
  [[nodiscard]] bool take_line(const char*& begin, const char*& end);

  static constexpr std::size_t kRoom = 16384;  // more than the longest path and its line
  int descriptor_;
  std::size_t at_ = 0, filled_ = 0;
  char text_[kRoom];
};

/// Calls `visit` for each mapping until it returns false. Returns whether it never did.
template <class Visit>
bool each_mapping(int descriptor, Visit visit) {
  MappingReader reader(descriptor);
  for (Mapping mapping; reader.next(mapping);) {
    if (!visit(mapping)) return false;
  }
  return true;
}

}  // namespace parityd::worker
