// Text and JSON of alarms and parityd's health for subcommands (store/work/alarms.h, agent/daemon/upkeep/health.h). One
// thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/cli/context.h"
#include "agent/cli/table.h"
#include "agent/daemon/upkeep/health.h"
#include "store/store.h"

namespace parityd::agent {

/// "stopped", "running", or "degraded": an error is active, so some of the work waits.
[[nodiscard]] std::string condition(bool running, const store::Store* store);

/// Active alarms, the most severe first.
[[nodiscard]] nlohmann::json alarms_json(const store::Store& store, store::Millis now);
/// How often each kind has occurred here, including those that never did.
[[nodiscard]] nlohmann::json alarm_counters_json(const store::Store& store);

/// A line of `status`, wrapped to the screen: a column with the label, and the text beside it.
void print_labelled(Context& context, std::string_view label, const std::string& text, Colour colour = Colour::none);
/// One line per active alarm; nothing if there are none.
void print_alarms(Context& context, const store::Store& store, store::Millis now);
/// Prints a line about parityd's health.
void print_health(Context& context, const Health& health, store::Millis now);
/// Prints a table of the kinds that have occurred here.
void print_alarm_counters(Context& context, const store::Store& store);

}  // namespace parityd::agent
