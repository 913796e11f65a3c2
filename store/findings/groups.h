// Which programs show a finding, and groups made by hand. Nothing is deleted; each change can be undone. Times are Unix
// milliseconds.
#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/findings/findings.h"
#include "store/work/alarms.h"
#include "store/work/daemon_state.h"
#include "store/work/programs.h"

namespace parityd::store {

/// A program that shows a finding.
struct OccurrenceRow {
  ProgramRow program;
  Id finding = 0;           // where it was recorded: the requested finding, or one merged into it
  std::string why;          // why it is the same finding
  std::string blamed_pass;  // of the compiler; empty: not searched
  Millis at = 0;
};

/// A merge or split made by hand. Undone ones stay on record.
struct GroupingChange {
  Id id = 0;
  Millis at = 0;
  std::string who, note;
  std::string what;  // "merge", "split"
  Id finding = 0;    // merge: the one merged into the other; split: the one that was divided
  Id other = 0;      // merge: the one that stays; split: the new one
  std::optional<Millis> undone_at;
  std::string undone_by;
};

/// Above these limits a finding probably has more than one cause.
inline constexpr int kMostProgramsOfOneCause = 25;

inline constexpr int kMostPassesOfOneCause = 2;

/// Which programs show a finding, and groups made by hand. Nothing is deleted; each change can be undone. One thread.
class Groups : public Table {
 public:
  Groups(Connection& connection, const Findings& findings, Events& events, Alarms& alarms)
      : Table(connection), findings_(findings), events_(events), alarms_(alarms) {}

  /// A change's id, or in words why it is not possible.
  using Changed = tl::expected<Id, std::string>;
  /// A program is an occurrence of one finding only once. Raises the finding's alarm if it exceeds the limits above.
  void add_occurrence(Id finding, Id program, const std::string& why, Millis at);
  /// Of the finding and those merged into it; each program once, oldest first.
  [[nodiscard]] std::vector<OccurrenceRow> occurrences_of(Id finding) const;
  /// Records what an occurrence was attributed to: the line of the neutraliser; empty: none is known.
  void set_blamed_pass(Id finding, Id program, const std::string& pass, Millis at);
  /// `change.finding` is counted and listed as `change.other` from now on, including later occurrences.
  Changed merge(const GroupingChange& change);
  /// Programs of `change.finding` become occurrences of `change.other`, a finding made for them.
  Changed split(const GroupingChange& change, const std::vector<Id>& programs);
  /// Why `programs` cannot be split off; nullopt if they can.
  [[nodiscard]] std::optional<std::string> cannot_split(Id finding, const std::vector<Id>& programs) const;
  /// Undoes a change on which no later one depends; without an id the newest.
  Changed undo(std::optional<Id> change, const std::string& who, Millis at);
  /// Changes of this finding, oldest first.
  [[nodiscard]] std::vector<GroupingChange> changes_of(Id finding) const;

 private:
  void regroup(Id finding, Id other, Millis at);
  void look_for_two_causes(Id finding, Millis at);

  const Findings& findings_;
  Events& events_;
  Alarms& alarms_;
};

}  // namespace parityd::store
