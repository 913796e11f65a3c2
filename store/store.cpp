#include "store/store.h"

#include "store/connection.h"

namespace parityd::store {

Store::Store(const std::filesystem::path& file, Access access) : state_(std::make_unique<State>(file, access)) {}
Store::~Store() = default;

void Store::transaction(const std::function<void()>& work) { state_->transaction(work); }

void Store::set_value(const std::string& key, const std::string& value) {
  state_->run("save the daemon's state",
              "INSERT INTO state_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
              key, value);
}

std::optional<std::string> Store::value(const std::string& key) const {
  Rows rows = state_->query("read the daemon's state", "SELECT value FROM state_values WHERE key = ?", key);
  if (!rows.next()) return std::nullopt;
  std::string value;
  rows.read(value);
  return value;
}

}  // namespace parityd::store
