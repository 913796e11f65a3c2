// What other processes ask of the daemon: rows that the command line and the page have written
// (agent/requests/request.h). One thread (the loop's), inside its transaction.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "agent/daemon/arrivals.h"
#include "agent/requests/apply.h"

namespace parityd::agent {

class Requests {
 public:
  /// `stop`: ends the daemon. References outlive it.
  Requests(Workshop& shop, Arrivals& arrivals, std::function<void()> stop)
      : shop_(shop), arrivals_(arrivals), stop_(std::move(stop)) {}

  /// Does what was asked for since.
  void service();

 private:
  void import(const requests::Import& program, store::Id request);

  Workshop& shop_;
  Arrivals& arrivals_;
  std::function<void()> stop_;
};

/// Applies a request and tells of it; one of the daemon's own, too: a recheck that it made itself is kept like
/// anybody's. Returns the row's result.
std::string apply_and_tell(Workshop& shop, const requests::Request& request, const std::string& who);

}  // namespace parityd::agent
