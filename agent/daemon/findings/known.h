// The table of known issues beside the daemon: where it comes from, how old it is. One thread.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "store/store.h"

namespace parityd::agent {

/// How long ago the facts were gathered. Nothing when no date is known, or one that lies ahead: nobody can say then.
[[nodiscard]] std::optional<std::chrono::seconds> known_age(std::optional<store::Millis> as_of, store::Millis now);

/// Whether findings are held(stale). Fails closed: a table of unknown age is too old.
[[nodiscard]] bool known_is_stale(const store::Store& store, store::Millis now, std::chrono::seconds max_age);

/// "342 known issues as of 2026-11-21"; with what follows and the way out where that is too long ago.
[[nodiscard]] std::string known_sentence(const store::Store& store, store::Millis now, std::chrono::seconds max_age);

/// Takes the shipped file in, once a version of it; the error says why it cannot be read.
[[nodiscard]] tl::expected<void, std::string> load_shipped_known(store::Store& store,
                                                                 const std::filesystem::path& file);

}  // namespace parityd::agent
