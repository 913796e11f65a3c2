// Whether this process's memory has changed: all of it, code and data, except the part of the stack below a frame. For
// a process that does nothing between two looks, so that any difference was made by another process. One thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "executor/confine/descriptor.h"

namespace parityd::worker {

class Pages {
 public:
  /// Continues as a copy of this process that has one thread, and records the contents of all its pages that differ
  /// from a file. The process itself stays behind as its twin, with the threads that libraries have started (NVIDIA's
  /// driver has one): it shares every page, waits for the copy and ends the same way. A page that is no longer shared
  /// was written to (Documentation/admin-guide/mm/pagemap.rst, bit 56), so the others need not be read.
  /// `frame`: the part of this thread's stack below it may change. Memory shared for writing becomes this process's
  /// own; what cannot be copied, and device memory, is withheld from children (MADV_DONTFORK). The few pages changed by
  /// forks themselves, through handlers of libraries (pthread_atfork(3)), are left out. Throws std::system_error.
  explicit Pages(const void* frame);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  struct Look {
    std::uint64_t digest = 0;    // of all recorded pages
    std::uintptr_t changed = 0;  // address of the first page that differs; 0: none
  };
  /// Allocates nothing and changes nothing.
  [[nodiscard]] Look look() const;

 private:
  static constexpr std::size_t kMostRestless = 16;
  struct Noted {
    std::uintptr_t page;
    std::uint64_t digest;
  };
  template <class Visit>
  bool visit(Visit visit) const;
  [[nodiscard]] std::uint64_t digest(std::uintptr_t page) const;
  void note_pages();
  void find_restless();
  [[nodiscard]] bool is_restless(std::uintptr_t page) const;

  std::uintptr_t frame_;
  std::size_t page_size_;
  executor::Descriptor maps_, pagemap_;
  Noted* noted_ = nullptr;  // in its own pages, in order of addresses
  std::size_t size_ = 0, room_ = 0;
  std::array<std::uintptr_t, kMostRestless> restless_{};
  std::size_t restless_count_ = 0;
};

}  // namespace parityd::worker
