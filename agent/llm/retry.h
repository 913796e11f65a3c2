// When to ask again: the retry rules as pure decisions over time and a random number passed in. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/llm/transport.h"

namespace parityd::agent {

using Milliseconds = std::chrono::milliseconds;

inline constexpr int kMostRetries = 4;
inline constexpr int kMostPaidAttempts = 2;  // that may have been answered and billed, though we have no reply
inline constexpr std::chrono::minutes kLongestRequest{15};  // from its submission to its last retry

/// "12ms", "6m0s", "1h2m3.5s": spans as Go writes them.
[[nodiscard]] std::optional<Milliseconds> span_from_text(const std::string& text);

/// What the server asks for: retry-after-ms, retry-after in seconds, or as a date seen from `wall`; where a 429 has
/// none of these, the longest time to the renewal of a limit that is used up. nullopt: nothing.
[[nodiscard]] std::optional<Milliseconds> asked_wait(const HttpResponse& response,
                                                     std::chrono::system_clock::time_point wall);

/// Full jitter: uniform in [0, min(60 s, 1 s · 2^retry)]; `random` is uniform in [0, 1). A server's wish is a floor, up
/// to ten minutes.
[[nodiscard]] Milliseconds wait_before_retry(int retry, std::optional<Milliseconds> asked, double random);

/// After five retryable failures in a row nothing is sent until a probe that costs nothing is answered; then one
/// request tries, and its success lets all pass. Probes go after 30 s, then every 40 s, so that a recovery is seen
/// within a minute; where the failures themselves may cost money the wait doubles to 15 min.
class Breaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  void succeeded();
  /// `paid`: the failed request may be on the bill.
  void failed(TimePoint now, bool paid = false);
  /// The server answers again: one request may go.
  void probed();
  /// How many of `wanted` requests may be in flight.
  [[nodiscard]] int allowed(int wanted) const;
  /// When the probe is due; nullopt while none is needed.
  [[nodiscard]] std::optional<TimePoint> probe_at() const { return half_open_ ? std::nullopt : parked_until_; }

 private:
  int failures_ = 0;
  Milliseconds park_{0};
  std::optional<TimePoint> parked_until_;
  bool half_open_ = false;
};

}  // namespace parityd::agent
