// Caches answers for a time proportional to the cost of computing them, so that each document uses only a small share
// of a thread's time, however many readers there are and however large the database is. Any thread.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "agent/web/server.h"

namespace parityd::agent {

class AnswerMemory {
 public:
  using Clock = std::chrono::steady_clock;

  /// An answer is reused for this many times the time it took to compute.
  static constexpr int kTimesItsCost = 20;
  /// Limits: maximum time, maximum size of a text, number of texts; 16 MiB in all.
  static constexpr std::chrono::seconds kLongest{60};
  static constexpr std::size_t kLargest = std::size_t{256} * 1024;
  static constexpr std::size_t kMostAnswers = 64;

  explicit AnswerMemory(std::function<Clock::time_point()> now) : now_(std::move(now)) {}

  /// The result of `make`, or a cached one. Concurrent requests for the same answer wait for it. Requests that change
  /// something and answers with a status other than 200 are never cached.
  [[nodiscard]] PageAnswer answer(const PageRequest& request, const std::function<PageAnswer()>& make);

 private:
  struct Entry {
    std::mutex making;
    PageAnswer answer;
    Clock::time_point until{};
  };
  [[nodiscard]] std::shared_ptr<Entry> entry_of(const PageRequest& request);

  std::function<Clock::time_point()> now_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;  // keyed by path and parameters
};

}  // namespace parityd::agent
