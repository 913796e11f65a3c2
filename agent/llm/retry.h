// Retry rules: pure decisions over time and a random number passed in. Any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "agent/llm/transport.h"

namespace parityd::agent {

using Milliseconds = std::chrono::milliseconds;

inline constexpr int kMostRetries = 4;
/// Attempts that may have been answered and billed without a reply reaching us.
inline constexpr int kMostPaidAttempts = 2;
inline constexpr std::chrono::minutes kLongestRequest{15};  // from submission to last retry

/// Parses "12ms", "6m0s", "1h2m3.5s": durations as Go writes them. Nullopt for other text.
[[nodiscard]] std::optional<Milliseconds> span_from_text(const std::string& text);

/// The wait that the server asks for: retry-after-ms, or retry-after in seconds or as a date relative to `wall`; for a
/// 429 with neither, the longest time until an exhausted limit is renewed. Nullopt: none.
[[nodiscard]] std::optional<Milliseconds> asked_wait(const HttpResponse& response,
                                                     std::chrono::system_clock::time_point wall);

/// Full jitter: uniform in [0, min(60 s, 1 s · 2^retry)]; `random` is uniform in [0, 1). The wait asked for by the
/// server is a lower bound, up to ten minutes.
[[nodiscard]] Milliseconds wait_before_retry(int retry, std::optional<Milliseconds> asked, double random);

/// Circuit breaker. After five retryable failures in a row nothing is sent until a free probe is answered; then one
/// request is sent as a trial, and its success lets all pass. Probes are sent after 30 s, then every 40 s, so that a
/// recovery is seen within a minute; if the failures themselves may cost money, the wait doubles up to 15 min.
class Breaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  void succeeded();
  /// `paid`: the failed request may be billed.
  void failed(TimePoint now, bool paid = false);
  /// The server answers again: one request may be sent.
  void probed();
  /// How many of `wanted` requests may be in flight.
  [[nodiscard]] int allowed(int wanted) const;
  /// When the next probe is due; nullopt if none is needed.
  [[nodiscard]] std::optional<TimePoint> probe_at() const { return half_open_ ? std::nullopt : parked_until_; }

 private:
  int failures_ = 0;
  Milliseconds park_{0};
  std::optional<TimePoint> parked_until_;
  bool half_open_ = false;
};

}  // namespace parityd::agent
