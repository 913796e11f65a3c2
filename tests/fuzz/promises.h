// What every entry point asks of what it got: a promise that does not hold throws. Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace parityd::fuzz {

/// Goes to the log and the database for every message that is refused.
inline constexpr std::size_t kLongestError = 4096;

inline void require(bool holds, const char* promise) {
  if (!holds) {
    throw std::logic_error(promise);
  }
}

/// What the daemon would log, store and show. dump() throws for text that is not UTF-8.
inline void use_text(const std::string& text) { (void)nlohmann::json(text).dump(); }

inline void use_error(const std::string& error) {
  require(!error.empty(), "a refusal has a reason");
  require(error.size() <= kLongestError, "a refusal's reason is short");
  use_text(error);
}

}  // namespace parityd::fuzz
