#include "agent/llm/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = std::chrono::duration_cast<Milliseconds>(10min);
constexpr Milliseconds kFirstPark = 30s;
constexpr Milliseconds kLongestFreePark = 40s;
constexpr Milliseconds kLongestPaidPark = 15min;
constexpr int kFailuresToPark = 5;

std::optional<double> number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return end != text->c_str() && *end == '\0' && std::isfinite(value) && value >= 0 ? std::optional(value)
                                                                                    : std::nullopt;
}

Milliseconds milliseconds(double value) { return Milliseconds(static_cast<std::int64_t>(std::min(value, 1e9))); }

/// The time from `wall` to `time`, 0 if it is past. Does not use the system clock's type, whose nanoseconds overflow in
/// the year 2262.
Milliseconds until(time_t time, std::chrono::system_clock::time_point wall) {
  const auto now = std::chrono::duration_cast<Milliseconds>(wall.time_since_epoch());
  return milliseconds(std::max(0.0, static_cast<double>(time) * 1000 - static_cast<double>(now.count())));
}

/// The time until a limit is renewed, given as seconds, a duration, RFC 3339, or seconds or milliseconds since 1970.
std::optional<Milliseconds> time_to_reset(const std::string& text, std::chrono::system_clock::time_point wall) {
  if (const auto plain = number(text)) {
    constexpr double kSecondsSince1970 = 1e9;
    constexpr double kMillisecondsSince1970 = 1e12;
    if (*plain < kSecondsSince1970) return milliseconds(*plain * 1000);
    const double seconds = *plain < kMillisecondsSince1970 ? *plain : *plain / 1000;
    return seconds < kMillisecondsSince1970 ? std::optional(until(static_cast<time_t>(seconds), wall)) : std::nullopt;
  }
  if (std::tm date{}; strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &date) != nullptr) {
    return until(timegm(&date), wall);
  }
  return span_from_text(text);
}

/// x-ratelimit-remaining-requests and x-ratelimit-reset-requests, anthropic-ratelimit-tokens-remaining and -reset, …
std::optional<Milliseconds> longest_reset(const HttpResponse& response, std::chrono::system_clock::time_point wall) {
  std::optional<Milliseconds> longest;
  for (const auto& [name, value] : response.headers) {
    const auto at = name.find("remaining");
    if (at == std::string::npos || name.find("ratelimit") == std::string::npos || number(value) != 0.0) continue;
    std::string renewed = name;
    renewed.replace(at, std::string("remaining").size(), "reset");
    if (const auto wait = time_to_reset(response.header(renewed).value_or(""), wall)) {
      longest = std::max(longest.value_or(0ms), *wait);
    }
  }
  return longest;
}

}  // namespace

std::optional<Milliseconds> span_from_text(const std::string& text) {
  double total = 0;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end = nullptr;
    const double value = std::strtod(at, &end);
    const std::string_view unit(end, std::strspn(end, "hmsun"));
    const double scale = unit == "h"    ? 3'600'000
                         : unit == "m"  ? 60'000
                         : unit == "s"  ? 1000
                         : unit == "ms" ? 1
                         : unit == "us" ? 1e-3
                         : unit == "ns" ? 1e-6
                                        : -1;
    if (end == at || scale < 0 || !(value >= 0) || !std::isfinite(value)) return std::nullopt;
    total += value * scale;
    at = end + unit.size();
  }
  return text.empty() ? std::nullopt : std::optional(milliseconds(total));
}

std::optional<Milliseconds> asked_wait(const HttpResponse& response, std::chrono::system_clock::time_point wall) {
  if (const auto exact = number(response.header("retry-after-ms"))) return milliseconds(*exact);
  const auto after = response.header("retry-after");
  if (const auto seconds = number(after)) return milliseconds(*seconds * 1000);
  const time_t date = after ? curl_getdate(after->c_str(), nullptr) : -1;
  if (date >= 0) return until(date, wall);
  return response.status == 429 ? longest_reset(response, wall) : std::nullopt;
}

Milliseconds wait_before_retry(int retry, std::optional<Milliseconds> asked, double random) {
  const double most = std::min(60'000.0, 1000.0 * std::pow(2.0, retry));
  const auto jittered = milliseconds(most * random);
  return asked ? std::min(kLongestWait, *asked) + jittered / 4 : jittered;
}

void Breaker::succeeded() { *this = {}; }

void Breaker::failed(TimePoint now, bool paid) {
  if (++failures_ < kFailuresToPark) return;
  if (parked_until_ && now < *parked_until_) {
    return;  // from a request already in flight when it parked
  }
  const auto roof = paid ? kLongestPaidPark : kLongestFreePark;
  park_ = parked_until_ ? std::min(roof, park_ * 2) : kFirstPark;
  parked_until_ = now + park_;
  half_open_ = false;
}

void Breaker::probed() { half_open_ = parked_until_.has_value(); }

int Breaker::allowed(int wanted) const { return !parked_until_ ? wanted : half_open_ ? std::min(1, wanted) : 0; }

}  // namespace parityd::agent
