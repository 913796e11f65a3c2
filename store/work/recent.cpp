// What happened lately: what the page leafs through.
#include "store/base/connection.h"

namespace parityd::store {

std::vector<Store::EventRow> Store::events_before(Id before, int limit) const {
  Rows rows =
      state_->query("read events", "SELECT id, at, level, what, text FROM events WHERE id < ? ORDER BY id DESC LIMIT ?",
                    before, limit);
  std::vector<EventRow> found;
  while (rows.next()) {
    EventRow& row = found.emplace_back();
    rows.read(row.id, row.at, row.level, row.what, row.text);
  }
  return found;
}

std::vector<Store::ExaminationRow> Store::examinations(int limit) const {
  Rows rows = state_->query("read what workers ran",
                            "SELECT x.id, x.program, x.purpose, coalesce(e.device, ''), coalesce(e.torch, ''), "
                            "coalesce(v.verdict, ''), x.round, x.worker_seconds, x.at FROM examinations x "
                            "LEFT JOIN environments e ON e.id = x.environment "
                            "LEFT JOIN verdicts v ON v.examination = x.id ORDER BY x.id DESC LIMIT ?",
                            limit);
  std::vector<ExaminationRow> found;
  while (rows.next()) {
    ExaminationRow& row = found.emplace_back();
    rows.read(row.id, row.program, row.purpose, row.device, row.torch, row.verdict, row.round, row.worker_seconds,
              row.at);
  }
  return found;
}

std::vector<Store::HarnessFailureRow> Store::harness_failures(int limit) const {
  Rows rows = state_->query("read failures of the harness",
                            "SELECT program, text, at FROM harness_failures ORDER BY id DESC LIMIT ?", limit);
  std::vector<HarnessFailureRow> found;
  while (rows.next()) {
    HarnessFailureRow& row = found.emplace_back();
    rows.read(row.program, row.text, row.at);
  }
  return found;
}

std::vector<Millis> Store::finding_times() const {
  Rows rows = state_->query("read when findings were made",
                            "SELECT created_at FROM findings WHERE merged_into IS NULL ORDER BY created_at");
  std::vector<Millis> found;
  for (Millis at = 0; rows.next();) {
    rows.read(at);
    found.push_back(at);
  }
  return found;
}

}  // namespace parityd::store
