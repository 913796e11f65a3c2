// The budget: decides whether a request may be made. Pure arithmetic on what the store has booked. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/config.h"

namespace parityd::agent {

/// In nano-dollars; nullopt: no cap.
struct Caps {
  std::optional<std::int64_t> hour, day, total;
};

/// Nano-dollars settled or reserved: in the last hour, since midnight UTC, and in total.
struct Spent {
  std::int64_t hour = 0, day = 0, total = 0;
};

[[nodiscard]] Caps caps_of(const Config& config);

/// Why another `reservation` nano-dollars may not be spent now, as text; nullopt if they may.
[[nodiscard]] std::optional<std::string> refuse_reservation(const Caps& caps, const Spent& spent,
                                                            std::int64_t reservation);

}  // namespace parityd::agent
