// What a reader is told may be told to the next one, too, for a while that grows with what it took to find out: however
// many look at the page and however large the database is, each document keeps a thread busy for a small share of its
// time. Any thread.
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

  /// An answer is told again for so many times the time that making it took.
  static constexpr int kTimesItsCost = 20;
  /// Longer than this nothing is kept, nor larger texts, nor more of them: 16 MiB in all.
  static constexpr std::chrono::seconds kLongest{60};
  static constexpr std::size_t kLargest = std::size_t{256} * 1024;
  static constexpr std::size_t kMostAnswers = 64;

  explicit AnswerMemory(std::function<Clock::time_point()> now) : now_(std::move(now)) {}

  /// What `make` gives, or gave a moment ago. Who asks for what is being made waits for it. A request that changes
  /// something, and an answer of another status than 200, are never kept.
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
  std::map<std::string, std::shared_ptr<Entry>> entries_;  // by path and parameters
};

}  // namespace parityd::agent
