// Requests of other processes, and what happened.
#include "store/work/requests.h"
#include "store/base/connection.h"

namespace parityd::store {

Id Requests::add(const RequestRow& row) {
  connection_.run("leave a request for the daemon",
                  "INSERT INTO requests (command, arguments, who, created_at) VALUES (?, ?, ?, ?)", row.command,
                  row.arguments, row.who, row.created_at);
  return connection_.last_id();
}

std::vector<RequestRow> Requests::pending(int imports) const {
  Rows rows =
      connection_.query("read requests",
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

std::int64_t Requests::waiting() const {
  Rows rows = connection_.query("count requests", "SELECT count(*) FROM requests WHERE result IS NULL");
  std::int64_t count = 0;
  if (rows.next()) rows.read(count);
  return count;
}

void Requests::end(Id id, const std::string& result, Millis at) {
  connection_.run("answer a request", "UPDATE requests SET result = ?, ended_at = ? WHERE id = ?", result, at, id);
}

std::optional<std::string> Requests::result(Id id) const {
  Rows rows = connection_.query("read a request", "SELECT result FROM requests WHERE id = ?", id);
  std::optional<std::string> result;
  if (rows.next()) rows.read(result);
  return result;
}

}  // namespace parityd::store
