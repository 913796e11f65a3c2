// When to ask again: the retry rules as pure decisions over time and a random number passed in. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/llm/http.h"

namespace parityd::agent {

using Milliseconds = std::chrono::milliseconds;

inline constexpr int kMostRetries = 4;
inline constexpr int kMostPaidRetries = 1;  // of an answer that nobody can read but that was billed

/// What the server asks for: retry-after-ms, retry-after in seconds, or as a date seen from `wall`. nullopt: nothing.
[[nodiscard]] std::optional<Milliseconds> asked_wait(const HttpResponse& response,
                                                     std::chrono::system_clock::time_point wall);

/// Full jitter: uniform in [0, min(60 s, 1 s · 2^retry)]; `random` is uniform in [0, 1). A server's wish is a floor, up
/// to ten minutes.
[[nodiscard]] Milliseconds wait_before_retry(int retry, std::optional<Milliseconds> asked, double random);

/// After five retryable failures in a row nothing is sent for 30 s, doubling to 15 min; then one request probes.
class Breaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  void succeeded();
  void failed(TimePoint now);
  /// How many of `wanted` requests may be in flight.
  [[nodiscard]] int allowed(TimePoint now, int wanted) const;
  /// Set from the moment it parks until a request succeeds; in the past: a probe may go.
  [[nodiscard]] std::optional<TimePoint> opens_at() const { return parked_until_; }

 private:
  int failures_ = 0;
  Milliseconds park_{30'000};
  std::optional<TimePoint> parked_until_;
};

}  // namespace parityd::agent
