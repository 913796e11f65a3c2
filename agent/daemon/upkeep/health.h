// How well parityd itself does: rates of its own failures and the age of what should go out or come in. Read off the
// database; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::agent {

/// How many of `all` were `bad`; too few say nothing.
struct HealthRate {
  std::string name;  // "canaries", "invalid programs", …
  std::int64_t bad = 0, all = 0;
  double limit = 1;          // a larger share is alarming
  std::int64_t fewest = 20;  // of `all`, to say anything
  store::EventKind alarm = store::EventKind::own_failures_high;

  [[nodiscard]] double share() const { return all > 0 ? static_cast<double>(bad) / static_cast<double>(all) : 0; }
  [[nodiscard]] bool is_alarming() const { return all >= fewest && share() > limit; }
};

/// Something that goes out or comes in.
struct HealthPath {
  store::OutgoingRow last;
  std::chrono::milliseconds limit{0};  // it has to work within that time
  bool stale = false;
};

struct Health {
  std::vector<HealthRate> rates;
  std::vector<HealthPath> paths;
};

/// Canaries and false alarms of warm workers over the last day, invalid programs and own failures over the last hour.
[[nodiscard]] Health health_of(const store::Store& store, store::Millis now, std::chrono::seconds known_max_age);

/// "3 of 120 (2.5 %)"
[[nodiscard]] std::string in_words(const HealthRate& rate);
/// "last worked 3h ago; last failed 5m ago: HTTP 500"
[[nodiscard]] std::string in_words(const HealthPath& path, store::Millis now);
[[nodiscard]] nlohmann::json health_json(const Health& health, store::Millis now);

}  // namespace parityd::agent
