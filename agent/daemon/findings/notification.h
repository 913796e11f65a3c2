// Input of the operator's command for a ready finding: docs/notification.md. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "agent/config.h"
#include "executor/process/process.h"
#include "store/store.h"

namespace parityd::agent {

/// Parts of the notification: the state folder and what the command reads on standard input. Empty `facts`: nothing.
struct NotifyParts {
  std::function<std::string(const store::Store& store, const store::FindingRow& finding)> facts;
  std::filesystem::path state;  // folder
};

/// `config.command` with the finding's facts in PARITYD_… variables besides PATH, HOME and what a desktop session
/// needs; no key given to parityd is passed on. `attempt` counts from 1; `waiting`: number of findings still waiting.
/// Texts from programs and models are reduced to one clean line each.
[[nodiscard]] executor::ProcessOptions notification_process(const NotifyConfig& config, const NotifyParts& parts,
                                                            const store::FindingRow& finding, int attempt,
                                                            std::size_t waiting);

}  // namespace parityd::agent
