// When to ask again: server wishes, jitter and the breaker, over times that are passed in.
#include "agent/llm/retry.h"

#include "tests/catch.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

const Breaker::TimePoint kStart{};
const auto kWall = std::chrono::system_clock::from_time_t(1'790'000'000);  // Mon, 21 Sep 2026 14:13:20 GMT

std::optional<Milliseconds> asked(std::vector<std::pair<std::string, std::string>> headers) {
  return asked_wait({.status = 429, .headers = std::move(headers), .body = {}}, kWall);
}

void fail(Breaker& breaker, int times, Breaker::TimePoint now) {
  for (int time = 0; time < times; ++time) {
    breaker.failed(now);
  }
}

}  // namespace

TEST_CASE("the retry delay that a server requests is parsed") {
  CHECK(asked({}) == std::nullopt);
  CHECK(asked({{"retry-after", "7"}}) == 7s);
  CHECK(asked({{"retry-after", "0.25"}}) == 250ms);
  CHECK(asked({{"retry-after-ms", "40"}}) == 40ms);
  CHECK(asked({{"retry-after", "7"}, {"retry-after-ms", "40"}}) == 40ms);
  CHECK(asked({{"retry-after-ms", "soon"}, {"retry-after", "7"}}) == 7s);
  CHECK(asked({{"retry-after", "Mon, 21 Sep 2026 14:13:50 GMT"}}) == 30s);
  CHECK(asked({{"retry-after", "Mon, 21 Sep 2026 14:00:00 GMT"}}) == 0ms);  // a date that is over
  CHECK(asked({{"retry-after", "0"}}) == 0ms);
  CHECK(asked({{"retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"}}) > 24h);  // beyond what nanoseconds count
  CHECK(asked({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9999-12-31T23:59:59Z"}}) > 24h);
  CHECK(asked({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "99999999999"}}) > 24h);
}

TEST_CASE("an invalid retry delay is ignored, and no number overflows") {
  for (const char* text : {"", "-1", "later", "nan", "inf", "7s"}) {
    CAPTURE(text);
    CHECK(asked({{"retry-after", text}}) == std::nullopt);
  }
  CHECK(asked({{"retry-after", "1e300"}}) > 10min);
}

TEST_CASE("durations in Go's format are parsed") {
  CHECK(span_from_text("12ms") == 12ms);
  CHECK(span_from_text("6m0s") == 6min);
  CHECK(span_from_text("1h2m3.5s") == 3'723'500ms);
  CHECK(span_from_text("7s") == 7s);
  CHECK(span_from_text("900us") == 0ms);
  for (const char* text : {"", "7", "s", "-1s", "7 s", "7d", "nans", "1s2"}) {
    CAPTURE(text);
    CHECK(span_from_text(text) == std::nullopt);
  }
}

TEST_CASE("a 429 without a retry delay waits for the exhausted limit, the slowest of several") {
  CHECK(asked({{"x-ratelimit-remaining-requests", "0"},
               {"x-ratelimit-reset-requests", "1s"},
               {"x-ratelimit-remaining-tokens", "0"},
               {"x-ratelimit-reset-tokens", "6m0s"}}) == 6min);
  CHECK(asked({{"x-ratelimit-remaining-requests", "10"}, {"x-ratelimit-reset-requests", "6m0s"}}) == std::nullopt);
  CHECK(asked({{"anthropic-ratelimit-tokens-remaining", "0"},
               {"anthropic-ratelimit-tokens-reset", "2026-09-21T14:13:50Z"}}) == 30s);
  CHECK(asked({{"x-ratelimit-remaining-tokens", "0"}, {"x-ratelimit-reset-tokens", "40"}}) == 40s);  // Azure
  CHECK(asked({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1790000020000"}}) == 20s);     // OpenRouter
  CHECK(asked({{"x-ratelimit-remaining-requests", "-1"}, {"x-ratelimit-reset-requests", "0"}}) == std::nullopt);
  CHECK(asked({{"retry-after", "3"}, {"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "60"}}) == 3s);
  CHECK(
      asked_wait({.status = 200, .headers = {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "60"}}, .body = {}},
                 kWall) == std::nullopt);
}

TEST_CASE("without a retry delay the backoff is full jitter under a doubling limit of a minute") {
  CHECK(wait_before_retry(0, {}, 0) == 0ms);
  CHECK(wait_before_retry(0, {}, 0.5) == 500ms);
  CHECK(wait_before_retry(1, {}, 0.5) == 1s);
  CHECK(wait_before_retry(3, {}, 0.5) == 4s);
  CHECK(wait_before_retry(5, {}, 0.5) == 16s);
  CHECK(wait_before_retry(6, {}, 0.5) == 30s);
  CHECK(wait_before_retry(60, {}, 0.5) == 30s);
  CHECK(wait_before_retry(60, {}, 0.999) < 60s);
}

TEST_CASE("a requested delay is a lower bound of up to ten minutes") {
  for (const double random : {0.0, 0.3, 0.999}) {
    CHECK(wait_before_retry(2, 7s, random) >= 7s);
    CHECK(wait_before_retry(2, 7s, random) <= 8s);
    CHECK(wait_before_retry(2, 24h, random) >= 10min);
    CHECK(wait_before_retry(2, 24h, random) <= 11min);
  }
}

TEST_CASE("the circuit breaker opens after five failures in a row, and one probe request is let through") {
  Breaker breaker;
  fail(breaker, 4, kStart);
  CHECK(breaker.allowed(8) == 8);
  CHECK_FALSE(breaker.probe_at());
  breaker.failed(kStart);
  CHECK(breaker.allowed(8) == 0);
  CHECK(breaker.probe_at() == kStart + 30s);
  SECTION("until the probe is answered nothing goes, then one, and after its success all") {
    breaker.probed();
    CHECK_FALSE(breaker.probe_at());
    CHECK(breaker.allowed(8) == 1);
    CHECK(breaker.allowed(0) == 0);
    breaker.succeeded();
    CHECK(breaker.allowed(8) == 8);
    fail(breaker, 4, kStart + 31s);
    CHECK(breaker.allowed(8) == 8);
    breaker.failed(kStart + 31s);
    CHECK(breaker.probe_at() == kStart + 61s);  // from the shortest wait again
  }
  SECTION("an unanswered probe waits for the next, never for a minute") {
    auto now = kStart + 30s;
    for (int probe = 0; probe < 2000; ++probe) {
      breaker.failed(now);
      REQUIRE(breaker.probe_at().value() - now == 40s);
      REQUIRE(breaker.allowed(8) == 0);
      now = breaker.probe_at().value();
    }
  }
  SECTION("a server that answers probes but takes paid requests and never answers costs less and less") {
    auto now = kStart + 30s;
    for (const auto park : {60s, 120s, 240s, 480s, 900s, 900s}) {
      breaker.probed();
      breaker.failed(now, true);
      CHECK(breaker.probe_at() == now + park);
      now += park;
    }
  }
  SECTION("what was in flight when it parked does not prolong the wait") {
    fail(breaker, 8, kStart + 1s);
    CHECK(breaker.probe_at() == kStart + 30s);
  }
}

TEST_CASE("failures interrupted by a success do not open the circuit breaker") {
  Breaker breaker;
  for (int round = 0; round < 5; ++round) {
    fail(breaker, 4, kStart);
    breaker.succeeded();
  }
  CHECK(breaker.allowed(8) == 8);
}

}  // namespace parityd::agent
