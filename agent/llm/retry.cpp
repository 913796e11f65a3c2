#include "agent/llm/retry.h"

#include <curl/curl.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = std::chrono::duration_cast<Milliseconds>(10min);
constexpr auto kLongestPark = std::chrono::duration_cast<Milliseconds>(15min);
constexpr int kFailuresToPark = 5;

std::optional<double> number(const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return end != text->c_str() && *end == '\0' && std::isfinite(value) && value >= 0 ? std::optional(value)
                                                                                    : std::nullopt;
}

Milliseconds milliseconds(double value) { return Milliseconds(static_cast<std::int64_t>(std::min(value, 1e9))); }

}  // namespace

std::optional<Milliseconds> asked_wait(const HttpResponse& response, std::chrono::system_clock::time_point wall) {
  if (const auto exact = number(response.header("retry-after-ms"))) {
    return milliseconds(*exact);
  }
  const auto after = response.header("retry-after");
  if (const auto seconds = number(after)) {
    return milliseconds(*seconds * 1000);
  }
  const time_t date = after ? curl_getdate(after->c_str(), nullptr) : -1;
  if (date < 0) {
    return std::nullopt;
  }
  return std::max(0ms, std::chrono::duration_cast<Milliseconds>(std::chrono::system_clock::from_time_t(date) - wall));
}

Milliseconds wait_before_retry(int retry, std::optional<Milliseconds> asked, double random) {
  const double most = std::min(60'000.0, 1000.0 * std::pow(2.0, retry));
  const auto jittered = milliseconds(most * random);
  return asked ? std::min(kLongestWait, *asked) + jittered / 4 : jittered;
}

void Breaker::succeeded() {
  failures_ = 0;
  park_ = 30s;
  parked_until_.reset();
}

void Breaker::failed(TimePoint now) {
  if (++failures_ < kFailuresToPark) {
    return;
  }
  if (parked_until_ && now < *parked_until_) {
    return;  // one of the requests that were in flight when it parked
  }
  park_ = parked_until_ ? std::min(kLongestPark, park_ * 2) : park_;
  parked_until_ = now + park_;
}

int Breaker::allowed(TimePoint now, int wanted) const {
  if (!parked_until_) {
    return wanted;
  }
  return now < *parked_until_ ? 0 : std::min(1, wanted);
}

}  // namespace parityd::agent
