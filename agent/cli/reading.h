// What the subcommands that read the database share. One thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/cli/context.h"
#include "agent/daemon/findings/notification.h"
#include "store/store.h"

namespace parityd::agent {

/// The database opened for reading; nullptr when there is none yet.
[[nodiscard]] std::unique_ptr<store::Store> open_for_reading(const Context& context);
/// Says that there is no database yet.
void say_no_database(Context& context);
/// open_for_reading(); without one says so and sets exit code 1.
[[nodiscard]] std::unique_ptr<store::Store> open_or_fail(Context& context);

/// Calls `use` with finding `id`; without one, says so and sets exit code 1.
void with_finding(Context& context, store::Id id,
                  const std::function<void(const store::Store&, const store::FindingRow&)>& use);

/// What the page's list shows of a finding.
[[nodiscard]] nlohmann::json listed_finding_json(const store::FindingRow& finding);
/// The finding as `findings --json` lists it: that, and all that it takes queries to know.
[[nodiscard]] nlohmann::json finding_json(const store::Store& store, const store::FindingRow& finding);

/// Says what of a finding is no longer what was stored, and sets exit code 3; false: all of it still is.
bool is_tampered(Context& context, const store::Store& store, store::Id finding);

/// What a finding may be known as, the likeliest first.
[[nodiscard]] nlohmann::json known_json(const std::vector<store::KnownMatch>& matches);

/// What a finding does on other torches: each recheck, and since when it is there.
[[nodiscard]] nlohmann::json versions_json(const store::Store& store, const store::FindingRow& finding);
[[nodiscard]] nlohmann::json recheck_json(const store::RecheckRow& row);

[[nodiscard]] nlohmann::json event_json(const store::EventRow& event);

/// What EnvironmentRow::sandbox says: level, on, off.
[[nodiscard]] nlohmann::json sandbox_json(const std::string& sandbox);

/// What the command of [notify] is told: the finding as `findings --json` lists it, and the state folder.
[[nodiscard]] NotifyParts notify_parts(const Context& context);

/// A file whole; nullopt: it cannot be read.
[[nodiscard]] std::optional<std::string> text_of_file(const std::filesystem::path& file);

/// `text` to standard output, or to `file` (whole or not at all); sets exit code 3 when that fails.
void write_out(Context& context, const std::string& text, const std::string& file);

/// One JSON document and a newline; broken UTF-8 becomes U+FFFD.
void print_json(Context& context, const nlohmann::json& json);

/// "2026-03-04 05:06:07" (UTC).
[[nodiscard]] std::string utc(store::Millis at);

/// "ready" stands out, "held" steps back.
[[nodiscard]] std::string coloured(const oracle::Disposition& disposition, bool colour);

}  // namespace parityd::agent
