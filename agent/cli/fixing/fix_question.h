// The question to a language model about a finding, with what the compiler does for its program. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <string>

#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

/// The first request.
struct FixRequest {
  std::string system;  // prompts/fix.md
  std::string user;
};

/// Runs the finding's program under some tools. The error says what is missing; what only some tools could not tell is
/// left out.
[[nodiscard]] tl::expected<FixRequest, std::string> question_about(const Config& config,
                                                                   const executor::BuiltWorker& worker,
                                                                   const store::Store& store,
                                                                   const store::FindingRow& finding);

}  // namespace parityd::agent
