// Examinations outside of the daemon: an engine, its examiner, and a place to wait for both. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <vector>

#include "agent/cli/running/engine.h"
#include "agent/daemon/program/examiner.h"
#include "agent/llm/http.h"

namespace parityd::agent {

/// Waits until a worker or the syntax process has something to say, a deadline has come or a second has passed; then
/// serves both.
void serve(Engine& engine, HttpClient& http);

class Examining {
 public:
  Examining(Engine& engine, const Config& config);

  [[nodiscard]] Examiner& examiner() { return examiner_; }
  /// Waits until something has been examined. The error: no worker of some group can be started.
  [[nodiscard]] tl::expected<std::vector<Examined>, std::string> wait();

 private:
  Engine& engine_;
  Examiner examiner_;
  HttpClient http_;  // the one place to wait
};

}  // namespace parityd::agent
