// What workers are doing, as the daemon tells other processes: a value in the database, some seconds old. One thread.
#pragma once

#include <string>

#include "executor/pool/workers.h"
#include "store/base/ids.h"

namespace parityd::agent {

/// {"at": milliseconds, "groups": [{"name", "device", "ready", "busy", "starting", …}]}
[[nodiscard]] std::string workers_state(const executor::Workers& workers, store::Millis at);

}  // namespace parityd::agent
