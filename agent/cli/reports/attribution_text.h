// How an attribution is shown. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "agent/daemon/program/attributor.h"

namespace parityd::agent {

/// Lines for people: neutraliser, workaround, and the table of what was tried.
[[nodiscard]] std::string attribution_text(const Attributor& attributor);
/// Fields for scripts: `stage`, `neutraliser` and `workaround` (null where there is none), `attribution` (why), `runs`,
/// `worker_seconds`, `ablations`.
[[nodiscard]] nlohmann::json attribution_json(const Attributor& attributor);

}  // namespace parityd::agent
