// The table of known issues beside the daemon: where it comes from, how old it is, how others bring it up to date. One
// thread.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

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

/// What an import or a synchronisation brings.
struct KnownUpdate {
  std::vector<store::KnownIssue> issues;
  store::KnownSource source = store::KnownSource::facts;
  std::optional<store::Millis> as_of;
};
/// As a request's arguments, and back; nothing for text that is none.
[[nodiscard]] std::string known_update_text(const KnownUpdate& update);
[[nodiscard]] std::optional<KnownUpdate> known_update_from_text(const std::string& text);

}  // namespace parityd::agent
