// What the operator's command for a ready finding is given: docs/notification.md. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "agent/config.h"
#include "executor/process/process.h"
#include "store/store.h"

namespace parityd::agent {

/// Where the command may look further, and what it reads on standard input. Empty `facts`: nothing.
struct NotifyParts {
  std::function<std::string(const store::Store& store, const store::FindingRow& finding)> facts;
  std::filesystem::path state;  // folder
};

/// `config.command` with the finding's facts in PARITYD_… beside PATH, HOME and what a desktop session needs: no key
/// that parityd was given is among them. `attempt` counts from 1, `waiting`: findings whose turn comes later. Texts
/// come from programs and models: one clean line each.
[[nodiscard]] executor::ProcessOptions notification_process(const NotifyConfig& config, const NotifyParts& parts,
                                                            const store::FindingRow& finding, int attempt,
                                                            std::size_t waiting);

/// Why it did not do its work: "exit code 3: curl: (6) Could not resolve host"; empty: it did.
[[nodiscard]] std::string notification_failure(executor::ExitState exit, const std::string& errors);

}  // namespace parityd::agent
