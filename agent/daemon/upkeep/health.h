// Health of parityd itself: rates of its own failures and the age of what it sends or receives. Read from the database;
// any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/store.h"

namespace parityd::agent {

/// How many of `all` were `bad`; not significant for a small `all`.
struct HealthRate {
  std::string name;  // "canaries", "invalid programs", …
  std::int64_t bad = 0, all = 0;
  double limit = 1;          // a larger share raises the alarm
  std::int64_t fewest = 20;  // smallest significant `all`
  store::EventKind alarm = store::EventKind::own_failures_high;

  [[nodiscard]] double share() const { return all > 0 ? static_cast<double>(bad) / static_cast<double>(all) : 0; }
  [[nodiscard]] bool is_alarming() const { return all >= fewest && share() > limit; }
};

/// Something that is sent or received.
struct HealthPath {
  store::OutgoingRow last;
  std::chrono::milliseconds limit{0};  // it must succeed within this time
  bool stale = false;
};

struct Health {
  std::vector<HealthRate> rates;
  std::vector<HealthPath> paths;
};

/// Canaries and false alarms of warm workers over the last day; invalid programs and own failures over the last hour.
[[nodiscard]] Health health_of(const store::Store& store, store::Millis now, std::chrono::seconds known_max_age);

/// "3 of 120 (2.5 %)"
[[nodiscard]] std::string in_words(const HealthRate& rate);
/// "last worked 3h ago; last failed 5m ago: HTTP 500"
[[nodiscard]] std::string in_words(const HealthPath& path, store::Millis now);
[[nodiscard]] nlohmann::json health_json(const Health& health, store::Millis now);

}  // namespace parityd::agent
