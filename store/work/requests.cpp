// Requests of other processes, and what happened.
#include "store/base/connection.h"

namespace parityd::store {

Id Store::add_request(const RequestRow& row) {
  state_->run("leave a request for the daemon",
              "INSERT INTO requests (command, arguments, who, created_at) VALUES (?, ?, ?, ?)", row.command,
              row.arguments, row.who, row.created_at);
  return state_->last_id();
}

std::vector<RequestRow> Store::pending_requests(int imports) const {
  Rows rows =
      state_->query("read requests",
                    "SELECT id, command, arguments, who, created_at FROM requests INDEXED BY requests_decisions "
                    "WHERE result IS NULL AND command <> 'import' UNION ALL SELECT * FROM ("
                    "SELECT id, command, arguments, who, created_at FROM requests INDEXED BY requests_pending "
                    "WHERE result IS NULL AND command = 'import' ORDER BY id LIMIT ?) ORDER BY id",
                    imports);
  std::vector<RequestRow> found;
  while (rows.next()) {
    RequestRow row;
    rows.read(row.id, row.command, row.arguments, row.who, row.created_at);
    found.push_back(std::move(row));
  }
  return found;
}

std::int64_t Store::requests_waiting() const {
  Rows rows = state_->query("count requests", "SELECT count(*) FROM requests WHERE result IS NULL");
  std::int64_t count = 0;
  if (rows.next()) rows.read(count);
  return count;
}

void Store::end_request(Id id, const std::string& result, Millis at) {
  state_->run("answer a request", "UPDATE requests SET result = ?, ended_at = ? WHERE id = ?", result, at, id);
}

std::optional<std::string> Store::request_result(Id id) const {
  Rows rows = state_->query("read a request", "SELECT result FROM requests WHERE id = ?", id);
  std::optional<std::string> result;
  if (rows.next()) rows.read(result);
  return result;
}

void Store::add_event(const std::string& level, const std::string& what, const std::string& text, Millis at) {
  state_->run("save an event", "INSERT INTO events (at, level, what, text) VALUES (?, ?, ?, ?)", at, level, what, text);
}

std::vector<Store::EventRow> Store::events(int limit) const {
  Rows rows =
      state_->query("read events", "SELECT id, at, level, what, text FROM events ORDER BY id DESC LIMIT ?", limit);
  std::vector<EventRow> found;
  while (rows.next()) {
    EventRow row;
    rows.read(row.id, row.at, row.level, row.what, row.text);
    found.push_back(std::move(row));
  }
  return found;
}

}  // namespace parityd::store
