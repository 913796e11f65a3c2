#include "store/findings/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "store/base/connection.h"
#include "store/work/program_columns.h"

namespace parityd::store {
namespace {

constexpr const char* kSelectChange =
    "SELECT id, at, who, note, what, finding, other, undone_at, coalesce(undone_by, '') FROM grouping_changes ";

GroupingChange change_from(Rows& rows) {
  GroupingChange change;
  rows.read(change.id, change.at, change.who, change.note, change.what, change.finding, change.other, change.undone_at,
            change.undone_by);
  return change;
}

std::optional<GroupingChange> change_in(Rows rows) { return rows.first(change_from); }

Id add_change(Connection& connection, const GroupingChange& change, const char* what) {
  connection.run("record a change of groups",
                 "INSERT INTO grouping_changes (at, who, note, what, finding, other) VALUES (?, ?, ?, ?, ?, ?)",
                 change.at, change.who, change.note, what, change.finding, change.other);
  return connection.last_id();
}

/// The newest change that depends on this one: a later change of the finding that a split made.
std::optional<GroupingChange> built_on(Connection& connection, const GroupingChange& change) {
  if (change.what != "split") return std::nullopt;
  return change_in(
      connection.query("read a change of groups",
                       (std::string(kSelectChange) + "WHERE id > ?1 AND undone_at IS NULL AND ?2 IN (finding, "
                                                     "other) ORDER BY id DESC LIMIT 1")
                           .c_str(),
                       change.id, change.other));
}

tl::unexpected<std::string> refused(std::string why) { return tl::unexpected(std::move(why)); }

/// nullopt if `finding` exists and is not merged into another one.
std::optional<std::string> cannot_regroup(const Findings& findings, Id finding) {
  const auto row = findings.find(finding);
  if (!row) return fmt::format("there is no finding {}", finding);
  if (row->merged_into) {
    return fmt::format("finding {} is merged into finding {}: use that one, or undo the merge", finding,
                       *row->merged_into);
  }
  return std::nullopt;
}

}  // namespace

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
  return connection_
      .query("read occurrences",
             "SELECT " PARITYD_PROGRAM_COLUMNS
             ", o.finding, o.why, o.blamed_pass, min(o.at) FROM findings f "
             "JOIN occurrences o ON o.finding = f.id JOIN programs p ON p.id = o.program "
             "WHERE (f.id = ?1 OR f.head = ?1) AND o.moved_to IS NULL GROUP BY p.id ORDER BY 28, p.id",
             finding)
      .each([](Rows& rows) {
        OccurrenceRow row{.program = program_from(rows)};
        rows.read_from(kProgramColumns, row.finding, row.why, row.blamed_pass, row.at);
        return row;
      });
}

/// Updates the alarm of the finding that `finding` is counted under; adds an event if it starts or gets longer.
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

/// Recomputes heads and counts of both findings' groups, before and after the change.
void Groups::regroup(Id finding, Id other, Millis at) {
  constexpr const char* kCount =
      "UPDATE findings SET occurrences = (SELECT count(DISTINCT o.program) FROM occurrences o JOIN findings m ON m.id "
      "= o.finding WHERE (m.id = findings.id OR m.head = findings.id) AND o.moved_to IS NULL) "
      "WHERE id IN (?1, ?2) OR id IN (SELECT head FROM findings WHERE id IN (?1, ?2))";
  connection_.run("count a group", kCount, finding, other);
  connection_.run(
      "find where findings count",
      "UPDATE findings SET head = (WITH RECURSIVE up (id, next) AS (SELECT f.id, f.merged_into FROM findings f "
      "WHERE f.id = findings.id UNION ALL SELECT f.id, f.merged_into FROM up JOIN findings f ON f.id = up.next)"
      " SELECT id FROM up WHERE next IS NULL AND id <> findings.id) "
      "WHERE merged_into IS NOT NULL OR head IS NOT NULL");
  connection_.run("count a group", kCount, finding, other);
  look_for_two_causes(finding, at);
  look_for_two_causes(other, at);
}

Groups::Changed Groups::merge(const GroupingChange& change) {
  if (change.finding == change.other) return refused("a finding cannot be merged into itself");
  for (const Id id : {change.finding, change.other}) {
    if (auto why = cannot_regroup(findings_, id)) return refused(std::move(*why));
  }
  Id id = 0;
  connection_.transaction([&] {
    id = add_change(connection_, change, "merge");
    connection_.run("merge findings", "UPDATE findings SET merged_into = ? WHERE id = ?", change.other, change.finding);
    regroup(change.finding, change.other, change.at);
  });
  return id;
}

std::optional<std::string> Groups::cannot_split(Id finding, const std::vector<Id>& programs) const {
  if (auto why = cannot_regroup(findings_, finding)) return why;
  if (programs.empty()) return "no program is given";
  const auto own = findings_.find(finding)->program;
  const auto shown = occurrences_of(finding);
  for (const Id program : programs) {
    if (program == own) {
      return fmt::format("finding {1} was made from program {0}: split off the others instead", program, finding);
    }
    if (std::none_of(shown.begin(), shown.end(), [&](const auto& row) { return row.program.id == program; })) {
      return fmt::format("program {} is not an occurrence of finding {}; `parityd show {}` lists them", program,
                         finding, finding);
    }
  }
  return std::nullopt;
}

Groups::Changed Groups::split(const GroupingChange& change, const std::vector<Id>& programs) {
  if (auto why = cannot_split(change.finding, programs)) return refused(std::move(*why));
  if (!findings_.find(change.other)) return refused(fmt::format("there is no finding {}", change.other));
  const auto shown = occurrences_of(change.finding);
  Id id = 0;
  connection_.transaction([&] {
    id = add_change(connection_, change, "split");
    for (const auto& row : shown) {
      const Id program = row.program.id;
      if (std::find(programs.begin(), programs.end(), program) == programs.end()) continue;
      connection_.run("move an occurrence",
                      "UPDATE occurrences SET moved_to = ?1 WHERE program = ?2 AND moved_to IS NULL AND finding IN "
                      "(SELECT id FROM findings WHERE id = ?3 OR head = ?3)",
                      change.other, program, change.finding);
      connection_.run(
          "move an occurrence", "INSERT INTO occurrences (finding, program, why, at) VALUES (?, ?, ?, ?)", change.other,
          program, fmt::format("split from finding {} by hand; reason there: {}", change.finding, row.why), change.at);
    }
    regroup(change.finding, change.other, change.at);
  });
  return id;
}

Groups::Changed Groups::undo(std::optional<Id> asked, const std::string& who, Millis at) {
  const auto change =
      change_in(asked ? connection_.query("read a change of groups",
                                          (std::string(kSelectChange) + "WHERE id = ?").c_str(), *asked)
                      : connection_.query(
                            "read a change of groups",
                            (std::string(kSelectChange) + "WHERE undone_at IS NULL ORDER BY id DESC LIMIT 1").c_str()));
  if (!change) return refused(asked ? fmt::format("there is no change {}", *asked) : "there is no change to undo");
  if (change->undone_at) return refused(fmt::format("change {} is already undone", change->id));
  if (const auto later = built_on(connection_, *change)) {
    return refused(fmt::format("change {} ({} of findings {} and {}) depends on it: undo that one first", later->id,
                               later->what, later->finding, later->other));
  }
  connection_.transaction([&] {
    connection_.run("undo a change of groups", "UPDATE grouping_changes SET undone_at = ?, undone_by = ? WHERE id = ?",
                    at, who, change->id);
    if (change->what == "merge") {
      connection_.run("undo a merge", "UPDATE findings SET merged_into = NULL WHERE id = ?", change->finding);
    } else {  // the finding made by the split keeps its rows, but no longer counts
      connection_.run("undo a split", "UPDATE occurrences SET moved_to = NULL WHERE moved_to = ?", change->other);
      connection_.run("undo a split", "UPDATE occurrences SET moved_to = ? WHERE finding = ?", change->finding,
                      change->other);
      connection_.run("undo a split", "UPDATE findings SET merged_into = ? WHERE id = ?", change->finding,
                      change->other);
    }
    regroup(change->finding, change->other, at);
  });
  return change->id;
}

std::vector<GroupingChange> Groups::changes_of(Id finding) const {
  return connection_
      .query("read changes of groups",
             (std::string(kSelectChange) + "WHERE finding = ?1 OR other = ?1 ORDER BY id").c_str(), finding)
      .each(change_from);
}

}  // namespace parityd::store
