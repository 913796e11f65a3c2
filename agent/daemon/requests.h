// Carries out requests of other processes: rows written by the command line and the page (agent/requests/request.h).
// One thread (the loop's), inside its transaction.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "agent/daemon/arrivals.h"
#include "agent/requests/apply.h"

namespace parityd::agent {

class Requests {
 public:
  /// `stop`: ends the daemon. References outlive this object.
  Requests(Workshop& shop, Arrivals& arrivals, std::function<void()> stop)
      : shop_(shop), arrivals_(arrivals), stop_(std::move(stop)) {}

  /// Carries out new requests.
  void carry_out();

 private:
  void import(const requests::Import& program, store::Id request);

  Workshop& shop_;
  Arrivals& arrivals_;
  std::function<void()> stop_;
};

/// Applies a request and reports its result. Also used for the daemon's own requests: a recheck that it ran is stored
/// like any other. Returns the row's result.
std::string apply_and_tell(Workshop& shop, const requests::Request& request, const std::string& who);

}  // namespace parityd::agent
