// How a subcommand leaves a request for the daemon: a row in `requests`, the one table others than the daemon write.
// One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

/// The database, for add_request(). Beside a running daemon it is taken as it is; without one it is made, or brought up
/// to date, for the next start to find.
[[nodiscard]] std::unique_ptr<store::Store> open_for_requests(const Context& context, bool daemon_runs);

/// Writes here while no daemon runs, which the lock makes sure of; else leaves `request` for the daemon and returns
/// false.
bool write_or_request(const Context& context, const std::function<void(store::Store&)>& write,
                      const store::RequestRow& request);

/// A request of this user and process, now.
[[nodiscard]] store::RequestRow request(const std::string& command, const std::string& arguments);

/// Of a request "triage". Any thread.
[[nodiscard]] std::string triage_arguments(const store::TriageRow& row);

}  // namespace parityd::agent
