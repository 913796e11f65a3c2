#include "store/base/values.h"
#include "store/base/connection.h"

namespace parityd::store {

void Values::set(const std::string& key, const std::string& value) {
  connection_.run(
      "save the daemon's state",
      "INSERT INTO state_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key,
      value);
}

std::optional<std::string> Values::find(const std::string& key) const {
  Rows rows = connection_.query("read the daemon's state", "SELECT value FROM state_values WHERE key = ?", key);
  if (!rows.next()) return std::nullopt;
  std::string value;
  rows.read(value);
  return value;
}

}  // namespace parityd::store
