#include "agent/cli/requesting.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include "agent/cli/installation.h"
#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace {

constexpr store::Millis kPatience = 10'000;  // a turn of the daemon's loop takes at most half a second

tl::expected<DaemonLock, std::string> take_lock(const Context& context) {
  std::filesystem::create_directories(context.state_directory);
  return DaemonLock::acquire(context.state_directory);
}

/// Regrouping is always recorded as a request, whoever did it.
bool is_regrouping(const requests::Request& request) {
  return std::holds_alternative<requests::Merge>(request) || std::holds_alternative<requests::Split>(request) ||
         std::holds_alternative<requests::Undo>(request);
}

}  // namespace

std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs) {
  return std::make_unique<store::Store>(context.database(),
                                        daemon_runs ? store::Access::request : store::Access::write);
}

std::string own_name() {
  const passwd* user = getpwuid(getuid());
  return fmt::format("{} (pid {})", user != nullptr ? user->pw_name : std::to_string(getuid()), getpid());
}

store::RequestRow own_row(const requests::Request& request) { return row_of(request, own_name(), wall_clock()); }

RequestDesk::RequestDesk(const Context& context)
    : lock_(take_lock(context)), store_(open_for_requests(context, daemon_runs())) {}

std::optional<requests::Applied> RequestDesk::ask(const requests::Request& request, const Config& config,
                                                  const std::string& newest_torch) {
  const auto row = own_row(request);
  if (daemon_runs()) {
    store_->requests.add(row);
    return std::nullopt;
  }
  auto policy = disposition_policy(config);
  policy.newest_torch = newest_torch;
  Recorder recorder(*store_, find_installation().draft_template, config.seed, std::move(policy));
  requests::Applied applied;
  store_->transaction([&] {
    applied = requests::apply(request, {.store = *store_,
                                        .recorder = recorder,
                                        .who = row.who,
                                        .now = row.created_at,
                                        .known_max_age = config.known_max_age});
    if (is_regrouping(request)) store_->requests.end(store_->requests.add(row), applied.result, wall_clock());
  });
  return applied;
}

std::optional<std::string> RequestDesk::ask_daemon(const requests::Request& request) {
  const store::Id id = store_->requests.add(own_row(request));
  for (const store::Millis until = wall_clock() + kPatience; wall_clock() < until; poll(nullptr, 0, 100)) {
    if (auto result = store_->requests.result(id)) return result;
  }
  return std::nullopt;
}

}  // namespace parityd::agent
