// Shared by the subcommands that read the database. One thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/cli/context.h"
#include "agent/daemon/findings/notification.h"
#include "store/store.h"

namespace parityd::agent {

/// Opens the database for reading; nullptr if there is none yet.
[[nodiscard]] std::unique_ptr<store::Store> open_for_reading(const Context& context);
/// Reports that there is no database yet.
void say_no_database(Context& context);
/// Like open_for_reading(); if there is none, reports it and sets exit code 1.
[[nodiscard]] std::unique_ptr<store::Store> open_or_fail(Context& context);

/// Calls `use` with finding `id`; if there is none, reports it and sets exit code 1.
void with_finding(Context& context, store::Id id,
                  const std::function<void(const store::Store&, const store::FindingRow&)>& use);

/// The finding as shown in the page's list.
[[nodiscard]] nlohmann::json listed_finding_json(const store::FindingRow& finding);
/// The finding as listed by `findings --json`: the above, plus facts that need queries.
[[nodiscard]] nlohmann::json finding_json(const store::Store& store, const store::FindingRow& finding);

/// Reports which parts of a finding differ from what was stored, and sets exit code 3; false: nothing differs.
bool is_tampered(Context& context, const store::Store& store, store::Id finding);

/// Known issues that a finding may match, the likeliest first.
[[nodiscard]] nlohmann::json known_json(const std::vector<store::KnownMatch>& matches);

/// The finding's behaviour on other torches: each recheck, and the version since which it exists.
[[nodiscard]] nlohmann::json versions_json(const store::Store& store, const store::FindingRow& finding);
[[nodiscard]] nlohmann::json recheck_json(const store::RecheckRow& row);

[[nodiscard]] nlohmann::json event_json(const store::EventRow& event);

/// Parses EnvironmentRow::sandbox: level, on, off.
[[nodiscard]] nlohmann::json sandbox_json(const std::string& sandbox);

/// Input of the [notify] command: the finding as listed by `findings --json`, and the state folder.
[[nodiscard]] NotifyParts notify_parts(const Context& context);

/// The content of a file; nullopt: it cannot be read.
[[nodiscard]] std::optional<std::string> text_of_file(const std::filesystem::path& file);

/// Writes `text` to standard output or to `file` (completely or not at all); sets exit code 3 on failure.
void write_out(Context& context, const std::string& text, const std::string& file);

/// Prints one JSON document and a newline; broken UTF-8 becomes U+FFFD.
void print_json(Context& context, const nlohmann::json& json);

/// "2026-03-04 05:06:07" (UTC).
[[nodiscard]] std::string utc(store::Millis at);

/// The disposition with "ready" highlighted and "held" dimmed.
[[nodiscard]] std::string coloured(const oracle::Disposition& disposition, bool colour);

}  // namespace parityd::agent
