// Alarms and parityd's health as subcommands show them (store/work/alarms.h, agent/daemon/upkeep/health.h). One thread.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "agent/cli/context.h"
#include "agent/cli/table.h"
#include "agent/daemon/upkeep/health.h"
#include "store/store.h"

namespace parityd::agent {

/// "stopped", "running", or "degraded": an error holds, so that a part of the work waits.
[[nodiscard]] std::string condition(bool running, const store::Store* store);

/// The alarms of now: the worst first.
[[nodiscard]] nlohmann::json alarms_json(const store::Store& store, store::Millis now);
/// Each kind with how often it has happened here, those that never did with 0.
[[nodiscard]] nlohmann::json alarm_counters_json(const store::Store& store);

/// A line of `status`, broken where the screen ends: a label's column and the text beside it.
void print_labelled(Context& context, std::string_view label, const std::string& text, Colour colour = Colour::none);
/// A line each; nothing where there are none.
void print_alarms(Context& context, const store::Store& store, store::Millis now);
/// A line of parityd's health.
void print_health(Context& context, const Health& health, store::Millis now);
/// A table of the kinds that have happened here.
void print_alarm_counters(Context& context, const store::Store& store);

}  // namespace parityd::agent
