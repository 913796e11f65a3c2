#include "store/work/alarms.h"

#include "store/base/connection.h"

namespace parityd::store {

bool is_current(const AlarmRow& row, Millis now) {
  const EventDescription& kind = description(row.kind);
  if (kind.lasts) return !row.over_at;
  return kind.severity != Severity::info && row.last_at > now - kDay;
}

void Alarms::count(const AlarmRow& row) {
  connection_.run(
      "count an alarm",
      "INSERT INTO alarms (kind, subject, times, first_at, last_at, text, over_at) VALUES (?, ?, ?, ?, ?, ?, ?) "
      "ON CONFLICT (kind, subject) DO UPDATE SET times = times + excluded.times, last_at = "
      "iif(excluded.over_at IS NULL, excluded.last_at, last_at), "
      "text = iif(excluded.text = '', text, excluded.text), over_at = excluded.over_at",
      description(row.kind).name, row.subject, row.times, row.first_at, row.last_at, row.text, row.over_at);
}

void Alarms::end_all(Millis at) {
  connection_.run("end alarms", "UPDATE alarms SET over_at = ? WHERE over_at IS NULL", at);
}

std::vector<AlarmRow> Alarms::all() const {
  Rows rows = connection_.query(
      "read alarms",
      "SELECT kind, subject, times, first_at, last_at, text, over_at FROM alarms ORDER BY kind, subject");
  std::vector<AlarmRow> found;
  while (rows.next()) {
    AlarmRow row;
    std::string kind;
    rows.read(kind, row.subject, row.times, row.first_at, row.last_at, row.text, row.over_at);
    if (const auto known = event_kind_from_name(kind)) {  // another version of parityd may have other kinds
      row.kind = *known;
      found.push_back(std::move(row));
    }
  }
  return found;
}

void Alarms::add_checks(const std::string& name, std::int64_t passed, std::int64_t failed, Millis at) {
  connection_.run(
      "count checks",
      "INSERT INTO checks (day, name, passed, failed) VALUES (?, ?, ?, ?) ON CONFLICT (day, name) DO UPDATE "
      "SET passed = passed + excluded.passed, failed = failed + excluded.failed",
      at / kDay, name, passed, failed);
}

Checks Alarms::checks(const std::string& name, Millis since) const {
  Rows rows = connection_.query("read checks",
                                "SELECT coalesce(sum(passed), 0), coalesce(sum(failed), 0) FROM checks "
                                "WHERE name = ? AND day >= ?",
                                name, since / kDay);
  return rows.one<Checks>(&Checks::passed, &Checks::failed).value_or(Checks{});
}

void Alarms::note_outgoing(const std::string& path, const std::string& failure, Millis at) {
  const auto worked = failure.empty() ? std::optional(at) : std::nullopt;
  const auto failed = failure.empty() ? std::nullopt : std::optional(at);
  connection_.run("note what goes out",
                  "INSERT INTO outgoing (path, succeeded_at, failed_at, failure) VALUES (?, ?, ?, ?) "
                  "ON CONFLICT (path) DO UPDATE SET succeeded_at = coalesce(excluded.succeeded_at, succeeded_at), "
                  "failed_at = coalesce(excluded.failed_at, failed_at), "
                  "failure = iif(excluded.failure = '', failure, excluded.failure)",
                  path, worked, failed, failure);
}

std::vector<OutgoingRow> Alarms::outgoing() const {
  return connection_
      .query("read what goes out", "SELECT path, succeeded_at, failed_at, failure FROM outgoing ORDER BY path")
      .all<OutgoingRow>(&OutgoingRow::path, &OutgoingRow::succeeded_at, &OutgoingRow::failed_at, &OutgoingRow::failure);
}

}  // namespace parityd::store
