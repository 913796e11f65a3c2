#include "agent/cli/running/examining.h"

#include <algorithm>
#include <chrono>

namespace parityd::agent {

using namespace std::chrono_literals;
using executor::Clock;

void serve(Engine& engine, HttpClient& http) {
  std::vector<executor::Interest> interests;
  engine.pool->append_interests(interests);
  engine.syntax->append_interests(interests);
  const auto now = Clock::now();
  const auto until = std::min(engine.pool->next_deadline().value_or(now + 1s), now + 1s);
  http.wait(interests, std::max(std::chrono::ceil<std::chrono::milliseconds>(until - now), 0ms));
  engine.pool->service(Clock::now());
  engine.syntax->service();
}

Examining::Examining(Engine& engine, const Config& config)
    : engine_(engine), examiner_(*engine.pool, engine.scratch->path() / "rounds", config.seed, config.excuses_off) {}

tl::expected<std::vector<Examined>, std::string> Examining::wait() {
  while (true) {
    if (auto examined = examiner_.take(Clock::now()); !examined.empty()) {
      return examined;
    }
    for (executor::GroupIndex group = 0; group < engine_.pool->groups(); ++group) {
      if (const auto broken = engine_.pool->broken(group)) {
        return tl::unexpected(*broken);
      }
    }
    serve(engine_, http_);
  }
}

}  // namespace parityd::agent
