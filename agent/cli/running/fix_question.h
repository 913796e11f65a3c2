// The question to a language model about a finding, with what the compiler does for its program. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

/// The whole first request: the system's part and the user's. The error says what is missing.
[[nodiscard]] tl::expected<std::string, std::string> question_about(const Config& config,
                                                                    const executor::BuiltWorker& worker,
                                                                    const store::Store& store,
                                                                    const store::FindingRow& finding);

}  // namespace parityd::agent
