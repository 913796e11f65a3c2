#include "store/work/daemon_state.h"

#include "store/base/connection.h"

namespace parityd::store {

Id Requests::add(const RequestRow& row) {
  connection_.run("leave a request for the daemon",
                  "INSERT INTO requests (command, arguments, who, created_at) VALUES (?, ?, ?, ?)", row.command,
                  row.arguments, row.who, row.created_at);
  return connection_.last_id();
}

std::vector<RequestRow> Requests::pending(int imports) const {
  return connection_
      .query("read requests",
             "SELECT id, command, arguments, who, created_at FROM requests INDEXED BY requests_decisions "
             "WHERE result IS NULL AND command <> 'import' UNION ALL SELECT * FROM ("
             "SELECT id, command, arguments, who, created_at FROM requests INDEXED BY requests_pending "
             "WHERE result IS NULL AND command = 'import' ORDER BY id LIMIT ?) ORDER BY id",
             imports)
      .all<RequestRow>(&RequestRow::id, &RequestRow::command, &RequestRow::arguments, &RequestRow::who,
                       &RequestRow::created_at);
}

std::int64_t Requests::waiting() const {
  return connection_.query("count requests", "SELECT count(*) FROM requests WHERE result IS NULL")
      .value<std::int64_t>();
}

void Requests::end(Id id, const std::string& result, Millis at) {
  connection_.run("answer a request", "UPDATE requests SET result = ?, ended_at = ? WHERE id = ?", result, at, id);
}

std::optional<std::string> Requests::result(Id id) const {
  return connection_.query("read a request", "SELECT result FROM requests WHERE id = ?", id)
      .value<std::optional<std::string>>();
}

void Values::set(const std::string& key, const std::string& value) {
  connection_.run(
      "save the daemon's state",
      "INSERT INTO state_values (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key,
      value);
}

std::optional<std::string> Values::find(const std::string& key) const {
  return connection_.query("read the daemon's state", "SELECT value FROM state_values WHERE key = ?", key)
      .one<std::string>();
}

void Events::add(const std::string& level, const std::string& what, const std::string& text, Millis at) {
  connection_.run("save an event", "INSERT INTO events (at, level, what, text) VALUES (?, ?, ?, ?)", at, level, what,
                  text);
}

std::vector<EventRow> Events::recent(int limit) const {
  return connection_
      .query("read events", "SELECT id, at, level, what, text FROM events ORDER BY id DESC LIMIT ?", limit)
      .all<EventRow>(&EventRow::id, &EventRow::at, &EventRow::level, &EventRow::what, &EventRow::text);
}

std::vector<EventRow> Events::before(Id before, int limit) const {
  return connection_
      .query("read events", "SELECT id, at, level, what, text FROM events WHERE id < ? ORDER BY id DESC LIMIT ?",
             before, limit)
      .all<EventRow>(&EventRow::id, &EventRow::at, &EventRow::level, &EventRow::what, &EventRow::text);
}

}  // namespace parityd::store
