// The JSON documents behind the page's screens, described in docs/page-api.md. Any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/cli/page/page.h"

namespace parityd::agent {

// overview
[[nodiscard]] nlohmann::json overview_json(const store::Store& store, const PageFacts& facts, store::Millis now);

// findings
[[nodiscard]] nlohmann::json findings_json(const store::Store& store, const store::FindingFilter& filter);
[[nodiscard]] nlohmann::json finding_page_json(const store::Store& store, const store::FindingRow& finding);

// activity
[[nodiscard]] nlohmann::json strategies_json(const store::Store& store);
/// State of each group of workers, at most ten seconds old; empty if no daemon ever ran here.
[[nodiscard]] nlohmann::json workers_now_json(const store::Store& store);
[[nodiscard]] nlohmann::json workers_json(const store::Store& store, store::Millis now);
[[nodiscard]] nlohmann::json replies_json(const store::Store& store, store::Id before, int limit);
[[nodiscard]] nlohmann::json reply_json(const store::Store& store, const store::ReplyRow& reply);
/// The compiler's source as read by models: areas and their files, or the functions of one file.
[[nodiscard]] nlohmann::json compiler_json(const store::Store& store, const std::string& file);
[[nodiscard]] nlohmann::json program_json(const store::ProgramRow& program);
[[nodiscard]] nlohmann::json events_json(const store::Store& store, store::Id before, int limit);

/// Metrics in Prometheus' text format.
[[nodiscard]] std::string metrics_text(const store::Store& store, const PageFacts& facts, store::Millis now);

}  // namespace parityd::agent
