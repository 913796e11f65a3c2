// May this request be made?
#include "agent/llm/budget.h"

#include "tests/catch.h"

namespace parityd::agent {
namespace {

constexpr std::int64_t kDollar = 1'000'000'000;

Caps caps(double hour, double day, double total) {
  Config config;
  config.dollars_per_hour = hour;
  config.dollars_per_day = day;
  config.dollars_total = total;
  return caps_of(config);
}

struct Case {
  const char* about;
  double hour, day, total;
  Spent spent;
  std::int64_t reservation;
  const char* refused_by;  // empty: allowed
};

const std::vector<Case> kCases = {
    {"no cap", 0, 0, 0, {kDollar * 1000, kDollar * 1000, kDollar * 1000}, kDollar, ""},
    {"room", 1, 5, 10, {0, 0, 0}, kDollar / 2, ""},
    {"to the last nano-dollar", 0, 5, 0, {0, kDollar * 4, 0}, kDollar, ""},
    {"one nano-dollar over", 0, 5, 0, {0, kDollar * 4, 0}, kDollar + 1, "dollars_per_day"},
    {"the hour", 1, 5, 10, {kDollar, kDollar, kDollar}, 1, "dollars_per_hour"},
    {"the day", 1, 5, 10, {0, kDollar * 5, kDollar * 5}, 1, "dollars_per_day"},
    {"ever", 1, 5, 10, {0, 0, kDollar * 10}, 1, "dollars_total"},
    {"what will last longest is named", 1, 5, 10, {kDollar, kDollar * 5, kDollar * 10}, 1, "dollars_total"},
    {"one request alone is too dear", 0, 5, 0, {0, 0, 0}, kDollar * 6, "dollars_per_day"},
    {"nothing to pay", 1, 5, 10, {kDollar * 9, kDollar * 9, kDollar * 99}, 0, ""},
    {"a cap smaller than any request", 0, 0.0001, 0, {0, 0, 0}, kDollar / 1000, "dollars_per_day"},
};

}  // namespace

TEST_CASE("a reservation is refused exactly when it would exceed a cap, and the cap is named") {
  for (const auto& each : kCases) {
    INFO(each.about);
    const auto refused = refuse_reservation(caps(each.hour, each.day, each.total), each.spent, each.reservation);
    CHECK(refused.has_value() == (*each.refused_by != '\0'));
    CHECK(refused.value_or("").find(each.refused_by) != std::string::npos);
  }
}

TEST_CASE("the default configuration caps the day at five dollars") {
  const Caps defaults = caps_of(Config{});
  CHECK(defaults.day == 5 * kDollar);
  CHECK_FALSE(defaults.hour);
  CHECK_FALSE(defaults.total);
}

TEST_CASE("a refusal names the cap, the amount spent and the possible cost of the request") {
  CHECK(refuse_reservation(caps(0, 5, 0), {.day = kDollar * 49 / 10}, kDollar / 5) ==
        "budget: dollars_per_day = 5, $4.9000 of it is spent or reserved and this request may cost $0.2000");
}

TEST_CASE("changes of torch have a cap of their own, which its refusal names") {
  CHECK(refuse_reservation(caps_of(FixConfig{}), {.day = 2 * kDollar}, kDollar / 10) ==
        "fix: dollars_per_day = 2, $2.0000 of it is spent or reserved and this request may cost $0.1000");
  CHECK_FALSE(refuse_reservation(caps_of(FixConfig{.dollars_per_day = 0}), {.day = 9 * kDollar}, kDollar));
}

}  // namespace parityd::agent
