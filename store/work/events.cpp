#include "store/work/events.h"
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {

void Events::add(const std::string& level, const std::string& what, const std::string& text, Millis at) {
  connection_.run("save an event", "INSERT INTO events (at, level, what, text) VALUES (?, ?, ?, ?)", at, level, what,
                  text);
}

std::vector<EventRow> Events::recent(int limit) const {
  Rows rows =
      connection_.query("read events", "SELECT id, at, level, what, text FROM events ORDER BY id DESC LIMIT ?", limit);
  std::vector<EventRow> found;
  while (rows.next()) {
    EventRow row;
    rows.read(row.id, row.at, row.level, row.what, row.text);
    found.push_back(std::move(row));
  }
  return found;
}

std::vector<EventRow> Events::before(Id before, int limit) const {
  Rows rows = connection_.query("read events",
                                "SELECT id, at, level, what, text FROM events WHERE id < ? ORDER BY id DESC LIMIT ?",
                                before, limit);
  std::vector<EventRow> found;
  while (rows.next()) {
    EventRow& row = found.emplace_back();
    rows.read(row.id, row.at, row.level, row.what, row.text);
  }
  return found;
}

}  // namespace parityd::store
