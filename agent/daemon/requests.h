// What other processes ask of the daemon: rows that the command line and the page have written. One thread (the
// loop's), inside its transaction.
#pragma once

#include <functional>
#include <string>

#include "agent/daemon/arrivals.h"
#include "agent/daemon/torches.h"

namespace parityd::agent {

class Requests {
 public:
  /// `stop`: ends the daemon. References outlive it.
  Requests(Workshop& shop, Arrivals& arrivals, Torches& torches, std::function<void()> stop)
      : shop_(shop), arrivals_(arrivals), torches_(torches), stop_(std::move(stop)) {}

  /// Does what was asked for since.
  void service();

 private:
  void import(const store::RequestRow& request);
  void take_known(const store::RequestRow& request);
  void triage(const store::RequestRow& request);
  void take_inspection(const store::RequestRow& request);
  void take_recheck(const store::RequestRow& request);
  void take_backup(const store::RequestRow& request);
  void end(const store::RequestRow& request, const std::string& result);

  Workshop& shop_;
  Arrivals& arrivals_;
  Torches& torches_;
  std::function<void()> stop_;
};

/// Of the daemon's small state: when and where the last backup was made.
inline constexpr const char* kLastBackup = "last_backup";

}  // namespace parityd::agent
