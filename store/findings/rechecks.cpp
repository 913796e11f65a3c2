#include "store/findings/rechecks.h"

#include "store/base/connection.h"

namespace parityd::store {
namespace {

/// The time between the two results that make a finding `fixed`, unless the second is requested.
constexpr Millis kBetweenConfirmations = Millis{60} * 60 * 1000;

/// Findings worth rechecking on other torches: confirmed ones that are not merged or closed.
#define PARITYD_WORTH_RECHECKING \
  "f.merged_into IS NULL AND f.hits = f.rounds AND f.status IN ('new', 'filed', 'known', 'fixed', 'regressed') "

/// The status after the last results on the newest torch (two at most), the latest first.
FindingStatus status_after(FindingStatus status, const std::vector<RecheckResult>& last) {
  if (last.empty() || is_closed(status)) return status;
  if (last[0] == RecheckResult::still && status == FindingStatus::fixed) return FindingStatus::regressed;
  const bool gone_twice = last.size() > 1 && last[0] == RecheckResult::gone && last[1] == RecheckResult::gone;
  return gone_twice ? FindingStatus::fixed : status;
}

}  // namespace

void Rechecks::add(const RecheckRow& row) {
  connection_.transaction([&] {
    connection_.run(
        "save a recheck",
        "INSERT INTO rechecks (finding, torch, python, device, device_name, elsewhere, newest, result, hits, rounds, "
        "reason, who, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        row.finding, row.torch, row.python, row.device, row.device_name, row.elsewhere, row.newest, row.result,
        row.hits, row.rounds, row.reason, row.who, row.at);
    const auto found = findings_.find(row.finding);
    if (!row.newest || row.result == RecheckResult::cannot || !found) return;
    std::vector<RecheckResult> last;
    {
      Rows rows =
          connection_.query("read rechecks",
                            "SELECT result FROM rechecks WHERE finding = ? AND newest = 1 AND result <> 'cannot' "
                            "ORDER BY id DESC LIMIT 2",
                            row.finding);
      while (rows.next()) rows.read(last.emplace_back(RecheckResult::cannot));
    }
    const FindingStatus status = status_after(found->status, last);
    connection_.run("change a finding's status", "UPDATE findings SET status = ? WHERE id = ?", status, row.finding);
  });
}

std::vector<RecheckRow> Rechecks::of(Id finding) const {
  return connection_
      .query("read rechecks",
             "SELECT id, finding, torch, python, device, device_name, elsewhere, newest, result, hits, rounds, reason, "
             "who, at FROM rechecks WHERE finding = ? ORDER BY id",
             finding)
      .all<RecheckRow>(&RecheckRow::id, &RecheckRow::finding, &RecheckRow::torch, &RecheckRow::python,
                       &RecheckRow::device, &RecheckRow::device_name, &RecheckRow::elsewhere, &RecheckRow::newest,
                       &RecheckRow::result, &RecheckRow::hits, &RecheckRow::rounds, &RecheckRow::reason,
                       &RecheckRow::who, &RecheckRow::at);
}

std::vector<Id> Rechecks::untried_on(const std::string& torch, const std::string& device) const {
  return connection_
      .query(
          "look for findings to recheck",
          "SELECT f.id FROM findings f WHERE " PARITYD_WORTH_RECHECKING
          "AND f.device = ?2 AND NOT EXISTS (SELECT 1 FROM rechecks r WHERE r.finding = f.id AND r.result <> 'cannot' "
          "AND r.elsewhere = 0 AND iif(?1 = '', r.newest = 1, r.torch = ?1)) ORDER BY f.disposition <> "
          "'held(untried)', f.disposition <> 'ready', f.id",
          torch, device)
      .all<Id>();
}

std::vector<Id> Rechecks::found_elsewhere(const std::string& torch, const std::string& device) const {
  return connection_
      .query("look for findings of other torches",
             "SELECT f.id FROM findings f WHERE " PARITYD_WORTH_RECHECKING
             "AND f.device = ?2 AND f.torch <> ?1 AND NOT EXISTS (SELECT 1 FROM rechecks r WHERE r.finding = f.id "
             "AND r.result <> 'cannot' AND r.elsewhere = 0 AND r.torch = ?1) ORDER BY f.severity, f.id",
             torch, device)
      .all<Id>();
}

std::vector<Id> Rechecks::gone_once(const std::string& torch, const std::string& device, Millis now) const {
  return connection_
      .query("look for findings to confirm as fixed",
             "SELECT f.id FROM findings f JOIN rechecks r ON r.id = (SELECT max(l.id) FROM rechecks l WHERE l.finding "
             "= f.id "
             "AND l.newest = 1 AND l.result <> 'cannot') WHERE " PARITYD_WORTH_RECHECKING
             "AND f.status <> 'fixed' AND f.device = ?2 AND r.result = 'gone' AND r.torch = ?1 AND r.at <= ?3 ORDER BY "
             "f.id",
             torch, device, now - kBetweenConfirmations)
      .all<Id>();
}

}  // namespace parityd::store
