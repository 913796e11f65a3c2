#include "store/work/environments.h"
#include "store/base/connection.h"
#include "store/base/rows.h"

namespace parityd::store {

std::vector<std::string> Environments::torches() const {
  Rows rows =
      connection_.query("list torches", "SELECT DISTINCT torch FROM environments UNION SELECT torch FROM rechecks");
  std::vector<std::string> found;
  while (rows.next()) rows.read(found.emplace_back());
  return found;
}

std::vector<EnvironmentRow> Environments::by_device() const {
  Rows rows = connection_.query("read environments",
                                "SELECT id, torch, python, device, device_name, sandbox, text FROM ("
                                "SELECT *, row_number() OVER (PARTITION BY device ORDER BY coalesce((SELECT max(x.id) "
                                "FROM examinations x WHERE x.environment = e.id), 0) DESC, id DESC) AS place "
                                "FROM environments e) WHERE place = 1 ORDER BY device");
  std::vector<EnvironmentRow> all;
  while (rows.next()) {
    EnvironmentRow row;
    rows.read(row.id, row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
    all.push_back(std::move(row));
  }
  return all;
}

Id Environments::id_of(const EnvironmentRow& row) {
  Id id = 0;
  connection_.transaction([&] {
    {
      Rows rows = connection_.query("look for an environment",
                                    "SELECT id FROM environments WHERE torch = ?1 AND python = ?2 AND device = ?3 "
                                    "AND device_name = ?4 AND sandbox = ?5 AND (text = ?6 OR text = '' OR ?6 = '') "
                                    "ORDER BY text = ?6 DESC, id DESC LIMIT 1",
                                    row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
      if (rows.next()) rows.read(id);
    }
    if (id == 0) {
      connection_.run("add an environment",
                      "INSERT INTO environments (torch, python, device, device_name, sandbox, text) "
                      "VALUES (?, ?, ?, ?, ?, ?)",
                      row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
      id = connection_.last_id();
    } else if (!row.text.empty()) {
      connection_.run("complete an environment", "UPDATE environments SET text = ? WHERE id = ?", row.text, id);
    }
  });
  return id;
}

std::optional<EnvironmentRow> Environments::seen_on(Id program) const {
  Rows rows = connection_.query(
      "read where a program was screened",
      "SELECT environment FROM examinations WHERE program = ? AND environment IS NOT NULL ORDER BY id LIMIT 1",
      program);
  Id first = 0;
  if (!rows.next()) return std::nullopt;
  rows.read(first);
  return find(first);
}

std::optional<EnvironmentRow> Environments::find(Id id) const {
  Rows rows = connection_.query("read an environment",
                                "SELECT id, torch, python, device, device_name, sandbox, text FROM environments "
                                "WHERE id = ?",
                                id);
  if (!rows.next()) return std::nullopt;
  EnvironmentRow row;
  rows.read(row.id, row.torch, row.python, row.device, row.device_name, row.sandbox, row.text);
  return row;
}

}  // namespace parityd::store
