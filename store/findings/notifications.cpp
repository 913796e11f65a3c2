#include "store/findings/notifications.h"

#include "store/base/connection.h"

namespace parityd::store {
void Notifications::add(NotificationState state) {
  connection_.run("note what is ready",
                  "INSERT INTO notifications (finding, state, attempts, begun_at, result) "
                  "SELECT f.id, ?, 0, NULL, '' FROM findings f "
                  "WHERE f.status = 'new' AND f.disposition = 'ready' AND f.merged_into IS NULL "
                  "AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.finding = f.id)",
                  state);
}

void Notifications::set(const NotificationRow& row) {
  connection_.run("save a notification",
                  "UPDATE notifications SET state = ?, attempts = ?, begun_at = ?, result = ? WHERE finding = ?",
                  row.state, row.attempts, row.begun_at, row.result, row.finding);
}

std::vector<NotificationRow> Notifications::open() const {
  return connection_
      .query("read notifications",
             "SELECT finding, state, attempts, begun_at, result FROM notifications "
             "WHERE state IN ('waiting', 'running') ORDER BY finding")
      .all<NotificationRow>(&NotificationRow::finding, &NotificationRow::state, &NotificationRow::attempts,
                            &NotificationRow::begun_at, &NotificationRow::result);
}

std::int64_t Notifications::begun(Millis since, Millis until) const {
  return connection_
      .query("count notifications", "SELECT count(*) FROM notifications WHERE begun_at BETWEEN ? AND ?", since, until)
      .value<std::int64_t>();
}

}  // namespace parityd::store
