#include "store/work/workers.h"

#include <nlohmann/json.hpp>

#include "store/base/connection.h"

namespace parityd::store {
namespace {

std::vector<WorkerSecondsRow> seconds_from(Rows rows) {
  return rows.all<WorkerSecondsRow>(&WorkerSecondsRow::group, &WorkerSecondsRow::occupation,
                                    &WorkerSecondsRow::seconds);
}

void forget_settled(Connection& connection, Id program) {
  connection.run("forget a word that nothing rests on",
                 "DELETE FROM trust WHERE program = ? AND unsettled = 0 AND again = 0", program);
}

}  // namespace

void Workers::set_history(Id program, const std::vector<Id>& earlier) {
  connection_.run("save a worker's history",
                  "INSERT INTO worker_histories (program, earlier) VALUES (?, ?) "
                  "ON CONFLICT DO UPDATE SET earlier = excluded.earlier",
                  program, nlohmann::json(earlier).dump());
}

void Workers::add_seconds(const std::vector<WorkerSecondsRow>& rows, Millis at) {
  connection_.transaction([&] {
    for (const auto& row : rows) {
      connection_.run("save worker time",
                      "INSERT INTO worker_seconds (day, worker_group, occupation, seconds) VALUES (?, ?, ?, ?) "
                      "ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                      at / kDay, row.group, row.occupation, row.seconds);
    }
  });
}

std::vector<WorkerSecondsRow> Workers::seconds(Millis since) const {
  return seconds_from(
      connection_.query("read worker time",
                        "SELECT worker_group, occupation, sum(seconds) FROM worker_seconds WHERE day >= ? "
                        "GROUP BY worker_group, occupation ORDER BY worker_group, occupation",
                        since / kDay));
}

std::vector<WorkerSecondsRow> Workers::seconds_of_day(Millis at) const {
  return seconds_from(connection_.query("read a day's worker time",
                                        "SELECT worker_group, occupation, seconds FROM worker_seconds WHERE day = ? "
                                        "ORDER BY worker_group, occupation",
                                        at / kDay));
}

std::vector<std::string> Environments::torches() const {
  return connection_.query("list torches", "SELECT DISTINCT torch FROM environments UNION SELECT torch FROM rechecks")
      .all<std::string>();
}

std::vector<EnvironmentRow> Environments::by_device() const {
  return connection_
      .query("read environments",
             "SELECT id, torch, python, device, device_name, sandbox, text FROM ("
             "SELECT *, row_number() OVER (PARTITION BY device ORDER BY coalesce((SELECT max(x.id) "
             "FROM examinations x WHERE x.environment = e.id), 0) DESC, id DESC) AS place "
             "FROM environments e) WHERE place = 1 ORDER BY device")
      .all<EnvironmentRow>(&EnvironmentRow::id, &EnvironmentRow::torch, &EnvironmentRow::python,
                           &EnvironmentRow::device, &EnvironmentRow::device_name, &EnvironmentRow::sandbox,
                           &EnvironmentRow::text);
}

Id Environments::id_of(const EnvironmentRow& row) {
  Id id = 0;
  connection_.transaction([&] {
    id = connection_
             .query("look for an environment",
                    "SELECT id FROM environments WHERE torch = ?1 AND python = ?2 AND device = ?3 "
                    "AND device_name = ?4 AND sandbox = ?5 AND (text = ?6 OR text = '' OR ?6 = '') "
                    "ORDER BY text = ?6 DESC, id DESC LIMIT 1",
                    row.torch, row.python, row.device, row.device_name, row.sandbox, row.text)
             .value<Id>();
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
  const auto first =
      connection_
          .query(
              "read where a program was screened",
              "SELECT environment FROM examinations WHERE program = ? AND environment IS NOT NULL ORDER BY id LIMIT 1",
              program)
          .one<Id>();
  return first ? find(*first) : std::nullopt;
}

std::optional<EnvironmentRow> Environments::find(Id id) const {
  return connection_
      .query("read an environment",
             "SELECT id, torch, python, device, device_name, sandbox, text FROM environments "
             "WHERE id = ?",
             id)
      .one<EnvironmentRow>(&EnvironmentRow::id, &EnvironmentRow::torch, &EnvironmentRow::python,
                           &EnvironmentRow::device, &EnvironmentRow::device_name, &EnvironmentRow::sandbox,
                           &EnvironmentRow::text);
}

void Trust::note_unsettled(Id program) {
  connection_.run("note whose word a verdict rests on",
                  "INSERT INTO trust (program, unsettled, again) VALUES (?, 1, 0) "
                  "ON CONFLICT (program) DO UPDATE SET unsettled = unsettled + 1",
                  program);
}

void Trust::settle(Id program) {
  connection_.run("note that a word holds", "UPDATE trust SET unsettled = max(0, unsettled - 1) WHERE program = ?",
                  program);
  forget_settled(connection_, program);
}

void Trust::unsettle(Id program) {
  connection_.run("note that a word does not hold", "UPDATE trust SET unsettled = 0 WHERE program = ?", program);
  forget_settled(connection_, program);
}

int Trust::note_again(Id program, bool counts) {
  connection_.run("note a program that is judged again",
                  "INSERT INTO trust (program, unsettled, again) VALUES (?1, 0, 1) "
                  "ON CONFLICT (program) DO UPDATE SET unsettled = 0, again = max(again + ?2, 1)",
                  program, counts);
  return times_judged_again(program);
}

int Trust::times_judged_again(Id program) const {
  return connection_.query("read whose word a verdict rests on", "SELECT again FROM trust WHERE program = ?", program)
      .value<int>();
}

std::vector<Id> Trust::unsettled() const {
  return connection_
      .query("read whose word verdicts rest on", "SELECT program FROM trust WHERE unsettled > 0 ORDER BY program")
      .all<Id>();
}

std::vector<Id> Trust::queued_again() const {
  return connection_
      .query("list programs that are judged again",
             "SELECT t.program FROM trust t JOIN programs p ON p.id = t.program "
             "WHERE t.again > 0 AND p.state = 'queued' ORDER BY t.program")
      .all<Id>();
}

}  // namespace parityd::store
