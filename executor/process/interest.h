// Descriptors that components want the daemon's one loop to wait for, and sets of them. One thread (the loop's).
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "executor/confine/descriptor.h"

namespace parityd::executor {

// A set of descriptors to wait for together (epoll): an inactive one costs nothing. One thread.

class DescriptorSet {
 public:
  struct Ready {
    int descriptor = -1;
    bool read = false, write = false;  // a hang-up or an error counts as both
  };

  /// Readable while one of them is ready, so that a set can itself be waited for. -1 until the first watch(): only then
  /// a file is opened.
  [[nodiscard]] int number() const { return set_.number(); }
  /// Adds it, or changes what to wait for. Throws std::system_error for what epoll does not accept (a regular file),
  /// and when no more files may be open.
  void watch(int descriptor, bool read, bool write);
  /// Does nothing if it is not in the set: a closed descriptor has left it on its own.
  void forget(int descriptor);
  /// Those that are ready now; if there are very many, the next call returns the rest.
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
  /// Number of the owner, unique to it: the descriptor's number may belong to another file a moment later. With 0 the
  /// descriptor is registered again before each wait.
  std::uint64_t owner = 0;
  /// How many descriptors may become ready through it: more than one if it stands for a set.
  int speakers = 1;

  bool operator==(const Interest&) const = default;
};

/// For callers that ask the kernel only once: poll.
[[nodiscard]] inline pollfd to_poll(const Interest& interest) {
  const auto events = static_cast<short>((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0));
  return {.fd = interest.descriptor, .events = events, .revents = 0};
}

// What to wait for together, given as a whole in each turn; only changes are passed to the kernel. One thread.

class InterestSet {
 public:
  /// From now on waits for these and no others. A descriptor may be named several times.
  void become(const std::vector<Interest>& interests);
  /// The owners of those that are ready now; if there are very many, the next call returns the rest.
  [[nodiscard]] std::unordered_set<std::uint64_t> speaking() const;
  /// All of them as one interest; nullopt if there has been none yet.
  [[nodiscard]] std::optional<Interest> together() const;
  /// Readable while one of them is ready.
  [[nodiscard]] int number() const { return watched_.number(); }

 private:
  DescriptorSet watched_;
  std::vector<Interest> told_;    // as given to become()
  std::vector<Interest> wanted_;  // sorted by descriptor, each once
};

}  // namespace parityd::executor
