// The base of every group of tables. Internal to store/.
#pragma once

#include "store/base/ids.h"

namespace parityd::store {

class Connection;

/// Tables that belong together: a member of Store, which owns the connection. One thread.
class Table {
 public:
  explicit Table(Connection& connection) : connection_(connection) {}

 protected:
  Connection& connection_;
};

}  // namespace parityd::store
