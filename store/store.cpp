#include "store/store.h"

#include "store/base/connection.h"
#include "store/base/durable.h"

namespace parityd::store {

Store::Store(const std::filesystem::path& file, Access access, std::chrono::milliseconds read_limit)
    : state_(std::make_unique<State>(file, access, read_limit)) {}
Store::~Store() = default;

void Store::transaction(const std::function<void()>& work) {
  try {
    state_->transaction(work);
  } catch (...) {
    state_->noted_features.clear();  // some may have been of this transaction
    throw;
  }
}

bool Store::unchecked() const { return state_->unchecked(); }

void Store::note_checked() { state_->note_checked(); }

const std::filesystem::path& Store::file() const { return state_->file(); }

bool Store::checkpoint() { return state_->checkpoint(); }

Store::Size Store::size() const {
  Rows rows = state_->query("measure the database",
                            "SELECT (c.page_count - f.freelist_count) * s.page_size FROM pragma_page_count c, "
                            "pragma_freelist_count f, pragma_page_size s");
  Size size;
  if (rows.next()) rows.read(size.bytes);
  size.wal_bytes = static_cast<std::int64_t>(size_of(state_->file().string() + "-wal"));
  return size;
}

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
