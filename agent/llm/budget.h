// The budget: decides whether a request may be made. Pure arithmetic on what the store has booked. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/config.h"

namespace parityd::agent {

/// In nano-dollars; nullopt: no cap.
struct Caps {
  std::optional<std::int64_t> hour, day, total;
  std::string_view table = "budget";  // of the configuration, for refusals
};

/// Nano-dollars settled or reserved: in the last hour, since midnight UTC, and in total.
struct Spent {
  std::int64_t hour = 0, day = 0, total = 0;
};

/// Of [budget]: they hold for all requests to models.
[[nodiscard]] Caps caps_of(const Config& config);
/// Of [fix]: they hold in addition, for changes of torch.
[[nodiscard]] Caps caps_of(const FixConfig& config);

/// Why another `reservation` nano-dollars may not be spent now, as text; nullopt if they may.
[[nodiscard]] std::optional<std::string> refuse_reservation(const Caps& caps, const Spent& spent,
                                                            std::int64_t reservation);

}  // namespace parityd::agent
