// The budget: may this request be made? Pure arithmetic over what the store has booked. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/config.h"

namespace parityd::agent {

/// Nano-dollars; nullopt is no cap.
struct Caps {
  std::optional<std::int64_t> hour, day, total;
};

/// Nano-dollars settled or reserved: in the last hour, since midnight UTC, ever.
struct Spent {
  std::int64_t hour = 0, day = 0, total = 0;
};

[[nodiscard]] Caps caps_of(const Config& config);

/// Why `reservation` more may not be spent now, in words; nullopt when it may.
[[nodiscard]] std::optional<std::string> refuse_reservation(const Caps& caps, const Spent& spent,
                                                            std::int64_t reservation);

}  // namespace parityd::agent
