// Occurrences: which programs show a finding, why each is the same one, and when they look like more than one cause.
#include <fmt/format.h>

#include "store/base/connection.h"
#include "store/base/rows.h"
#include "store/findings/groups.h"
#include "store/work/program_columns.h"

namespace parityd::store {

void Groups::add_occurrence(Id finding, Id program, const std::string& why, Millis at) {
  connection_.run("add an occurrence",
                  "INSERT INTO occurrences (finding, program, why, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                  finding, program, why, at);
  look_for_two_causes(finding, at);
}

void Groups::set_blamed_pass(Id finding, Id program, const std::string& pass, Millis at) {
  connection_.run("save a blamed pass", "UPDATE occurrences SET blamed_pass = ? WHERE finding = ? AND program = ?",
                  pass, finding, program);
  look_for_two_causes(finding, at);
}

std::vector<OccurrenceRow> Groups::occurrences_of(Id finding) const {
  Rows rows =
      connection_.query("read occurrences",
                        "SELECT " PARITYD_PROGRAM_COLUMNS
                        ", o.finding, o.why, o.blamed_pass, min(o.at) FROM findings f "
                        "JOIN occurrences o ON o.finding = f.id JOIN programs p ON p.id = o.program "
                        "WHERE (f.id = ?1 OR f.head = ?1) AND o.moved_to IS NULL GROUP BY p.id ORDER BY 28, p.id",
                        finding);
  std::vector<OccurrenceRow> found;
  while (rows.next()) {
    OccurrenceRow row{.program = program_from(rows)};
    rows.read_from(kProgramColumns, row.finding, row.why, row.blamed_pass, row.at);
    found.push_back(std::move(row));
  }
  return found;
}

/// Keeps the alarm of what `finding` is counted under; an event when it goes off or finds more to say.
void Groups::look_for_two_causes(Id finding, Millis at) {
  Rows rows =
      connection_.query("count what a finding holds",
                        "SELECT h.id, h.occurrences, h.alarm, "
                        "(SELECT count(DISTINCT o.blamed_pass) FROM occurrences o JOIN findings m ON m.id = "
                        "o.finding WHERE (m.id = h.id OR m.head = h.id) AND o.moved_to IS NULL AND o.blamed_pass "
                        "<> '') FROM findings f JOIN findings h ON h.id = coalesce(f.head, f.id) WHERE f.id = ?",
                        finding);
  if (!rows.next()) return;
  Id head = 0;
  std::int64_t programs = 0, passes = 0;
  std::string said;
  rows.read(head, programs, said, passes);
  std::string alarm;
  if (programs > kMostProgramsOfOneCause) alarm = fmt::format("more than {} programs", kMostProgramsOfOneCause);
  if (passes > kMostPassesOfOneCause) {
    alarm += fmt::format("{}more than {} blamed passes", alarm.empty() ? "" : ", ", kMostPassesOfOneCause);
  }
  if (alarm == said) return;
  connection_.run("mark a finding", "UPDATE findings SET alarm = ? WHERE id = ?", alarm, head);
  if (alarm.size() > said.size()) {
    const auto& kind = description(EventKind::over_merge);
    const std::string text = event_text(kind.kind, fmt::format("finding {} counts {}", head, alarm));
    events_.add(std::string(name(kind.severity)), std::string(kind.name), text, at);
    alarms_.count({.kind = kind.kind, .times = 1, .first_at = at, .last_at = at, .text = text});
  }
}

}  // namespace parityd::store
