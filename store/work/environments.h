// What programs ran on. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

struct EnvironmentRow {
  Id id = 0;
  std::string torch, python, device, device_name, sandbox, text;
};

/// What programs ran on. One thread.
class Environments {
 public:
  explicit Environments(Connection& connection) : connection_(connection) {}

  Id id_of(const EnvironmentRow& row);  // finds or inserts; text is filled in when it was empty
  [[nodiscard]] std::optional<EnvironmentRow> find(Id id) const;
  [[nodiscard]] std::optional<EnvironmentRow> seen_on(Id program) const;  // where it was screened
  /// Of each device the environment that programs ran on last; before any ran, the newest.
  [[nodiscard]] std::vector<EnvironmentRow> by_device() const;
  /// All that programs or rechecks ran on.
  [[nodiscard]] std::vector<std::string> torches() const;

 private:
  Connection& connection_;
};

}  // namespace parityd::store
