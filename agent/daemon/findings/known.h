// The daemon's view of the table of known issues: its source and age. One thread.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "store/store.h"

namespace parityd::agent {

/// Age of the facts; nullopt if no date is known or the date is in the future.
[[nodiscard]] std::optional<std::chrono::seconds> known_age(std::optional<store::Millis> as_of, store::Millis now);

/// Whether findings are held(stale). Fails closed: a table of unknown age counts as too old.
[[nodiscard]] bool known_is_stale(const store::Store& store, store::Millis now, std::chrono::seconds max_age);

/// "342 known issues as of 2026-11-21"; if that is too long ago, followed by the consequence and the remedy.
[[nodiscard]] std::string known_sentence(const store::Store& store, store::Millis now, std::chrono::seconds max_age);

/// Imports the shipped file, once per version of it; the error says why it cannot be read.
[[nodiscard]] tl::expected<void, std::string> load_shipped_known(store::Store& store,
                                                                 const std::filesystem::path& file);

}  // namespace parityd::agent
