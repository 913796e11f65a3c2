// A descriptor some component wants the daemon's one loop to wait for. Pure data.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "executor/confine/descriptor.h"

namespace parityd::executor {

// Descriptors that are waited for together, by epoll: one that has nothing to say costs nothing. One thread.

class DescriptorSet {
 public:
  struct Ready {
    int descriptor = -1;
    bool read = false, write = false;  // an end or an error counts as both
  };

  /// Readable while one of them is ready: a set can be waited for, too. -1 until there was one: it takes a file.
  [[nodiscard]] int number() const { return set_.number(); }
  /// Adds it or changes what is waited for. Throws std::system_error for what epoll does not take, a regular file, and
  /// when no more files may be open.
  void watch(int descriptor, bool read, bool write);
  /// Nothing where it is none of them: one that was closed has left by itself.
  void forget(int descriptor);
  /// Those that are ready now; of very many the others come with the next call.
  [[nodiscard]] std::vector<Ready> ready() const;

 private:
  Descriptor set_;
};

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

struct Interest {
  int descriptor = -1;
  bool read = false;
  bool write = false;
  /// Whoever opened it, a number that nobody else has: the descriptor's number may be another file's a moment later. 0
  /// has each wait look again whose it is.
  std::uint64_t owner = 0;
  /// How many may speak through it: more where it stands for a set of them.
  int speakers = 1;

  bool operator==(const Interest&) const = default;
};

/// For those who ask the kernel once: poll.
[[nodiscard]] inline pollfd to_poll(const Interest& interest) {
  const auto events = static_cast<short>((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0));
  return {.fd = interest.descriptor, .events = events, .revents = 0};
}

// What is to be waited for together, told anew in each turn; the kernel hears of changes only. One thread.

class InterestSet {
 public:
  /// From now on these and no others. One descriptor may be named several times.
  void become(const std::vector<Interest>& interests);
  /// The owners of those that are ready now; of very many the others come with the next call.
  [[nodiscard]] std::unordered_set<std::uint64_t> speaking() const;
  /// All of them as one; nothing where there was none yet.
  [[nodiscard]] std::optional<Interest> together() const;
  /// Readable while one of them is ready.
  [[nodiscard]] int number() const { return watched_.number(); }

 private:
  DescriptorSet watched_;
  std::vector<Interest> told_;    // as they were told
  std::vector<Interest> wanted_;  // by descriptor, each once
};

}  // namespace parityd::executor
