// How a subcommand has something done that only one writer may do: by the running daemon, which it leaves a request (a
// row of `requests`, the one table others than the daemon write), or by itself while none runs. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/cli/context.h"
#include "agent/daemon/lock.h"
#include "agent/requests/apply.h"
#include "store/store.h"

namespace parityd::agent {

/// The database, to add requests to. Beside a running daemon it is taken as it is; without one it is made, or brought
/// up to date, for the next start to find.
[[nodiscard]] std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs);

/// This user and process: "name (pid 7)".
[[nodiscard]] std::string own_name();
/// Of this user and process, now.
[[nodiscard]] store::RequestRow own_row(const requests::Request& request);

class RequestDesk {
 public:
  /// Keeps daemons from starting while it lives, where none runs.
  explicit RequestDesk(const Context& context);

  [[nodiscard]] bool daemon_runs() const { return !lock_; }
  [[nodiscard]] store::Store& store() { return *store_; }
  /// Applies the request in one transaction, or leaves it for the daemon and returns nothing. `config` and
  /// `newest_torch` (the version of [versions] newest; empty: not known) decide what becomes of findings: a decision,
  /// a tool's text and a backup need neither.
  std::optional<requests::Applied> ask(const requests::Request& request, const Config& config = {},
                                       const std::string& newest_torch = "");
  /// Leaves the request for the daemon and waits for its result; nullopt: it did not come within ten seconds.
  [[nodiscard]] std::optional<std::string> ask_daemon(const requests::Request& request);

 private:
  tl::expected<DaemonLock, std::string> lock_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace parityd::agent
