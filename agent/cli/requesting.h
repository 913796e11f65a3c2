// Lets a subcommand do what only one writer may do: it leaves a request for the running daemon (a row of `requests`,
// the only table that others write), or does it itself if none runs. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/cli/context.h"
#include "agent/daemon/lock.h"
#include "agent/requests/apply.h"
#include "store/store.h"

namespace parityd::agent {

/// Opens the database to add requests. Beside a running daemon it is used unmodified; without one it is created or
/// migrated for the next start.
[[nodiscard]] std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs);

/// This user and process: "name (pid 7)".
[[nodiscard]] std::string own_name();
/// The row of a request by this user and process, now.
[[nodiscard]] store::RequestRow own_row(const requests::Request& request);

class RequestDesk {
 public:
  /// If no daemon runs, prevents one from starting while this object exists.
  explicit RequestDesk(const Context& context);

  [[nodiscard]] bool daemon_runs() const { return !lock_; }
  [[nodiscard]] store::Store& store() { return *store_; }
  /// Applies the request in one transaction, or leaves it for the daemon and returns nullopt. `config` and
  /// `newest_torch` (the version of [versions] newest; empty: unknown) affect the findings; a decision, a tool's text
  /// and a backup need neither.
  std::optional<requests::Applied> ask(const requests::Request& request, const Config& config = {},
                                       const std::string& newest_torch = "");
  /// Leaves the request for the daemon and waits for its result; nullopt: none within ten seconds.
  [[nodiscard]] std::optional<std::string> ask_daemon(const requests::Request& request);

 private:
  tl::expected<DaemonLock, std::string> lock_;
  std::unique_ptr<store::Store> store_;
};

}  // namespace parityd::agent
