#include "agent/daemon/upkeep/workers_state.h"

#include <nlohmann/json.hpp>

#include "executor/pool/pool.h"
#include "oracle/json_read.h"

namespace parityd::agent {

std::string workers_state(const executor::Workers& workers, store::Millis at) {
  auto groups = nlohmann::json::array();
  for (executor::GroupIndex group = 0; group < workers.groups(); ++group) {
    const auto& config = workers.config(group);
    const auto counts = workers.counts(group);
    const auto hello = workers.hello(group);
    groups.push_back({{"name", config.name},
                      {"device", executor::name(config.device)},
                      {"torch", hello ? hello->torch : ""},
                      {"ready", counts.warm_ready},
                      {"busy", counts.warm_busy},
                      {"starting", counts.starting},
                      {"fork_ready", counts.fork_ready},
                      {"fork_busy", counts.fork_busy},
                      {"queued", counts.queued},
                      {"started", counts.started},
                      {"retired", counts.retired},
                      {"killed", counts.killed},
                      {"problem", workers.broken(group).value_or("")}});
  }
  return oracle::compact(nlohmann::json{{"at", at}, {"groups", std::move(groups)}});
}

}  // namespace parityd::agent
