// Passes the program's captured output on to the launcher's stderr, so little of it that a flood hurts nobody, and
// never waiting: neither the program nor the launcher stalls when nobody reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace parityd::launcher {

class OutputRelay {
 public:
  using Clock = std::chrono::steady_clock;
  /// Bytes let through in a second; the rest is dropped and counted.
  static constexpr std::size_t kPerSecond = std::size_t{64} << 10;
  /// Of what was dropped so much is shown after all at the end: a dying program's last words.
  static constexpr std::size_t kLastWords = std::size_t{4} << 10;

  explicit OutputRelay(int target) : target_(target) {}

  /// Reads `source`, which does not block, until it is empty or `most` bytes were read. False at end of file.
  bool take(int source, std::size_t most, Clock::time_point now);
  /// Says how much was dropped, and the last of it.
  void finish();

 private:
  void pass(std::string_view bytes, Clock::time_point now);
  void drop(std::string_view bytes);
  void say_dropped();
  bool send(std::string_view bytes) const;

  int target_;
  Clock::time_point window_{};
  std::size_t allowed_ = 0;
  std::size_t dropped_ = 0;
  std::string last_words_;
};

}  // namespace parityd::launcher
