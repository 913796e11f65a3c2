// Which programs show a finding, and groups made by hand: nothing is deleted, each change can be undone. Times are Unix
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
  Id finding = 0;           // where it was recorded: the finding asked for, or one merged into it
  std::string why;          // why it is the same finding
  std::string blamed_pass;  // of the compiler; empty: not asked
  Millis at = 0;
};

/// A merge or split made by hand. Undone ones stay on record.
struct GroupingChange {
  Id id = 0;
  Millis at = 0;
  std::string who, note;
  std::string what;  // "merge", "split"
  Id finding = 0;    // merge: the one that went; split: the one that was divided
  Id other = 0;      // merge: the one that stayed; split: the new one
  std::optional<Millis> undone_at;
  std::string undone_by;
};

/// Beyond these a finding looks as if it held more than one cause.
inline constexpr int kMostProgramsOfOneCause = 25;

inline constexpr int kMostPassesOfOneCause = 2;

/// Which programs show a finding, and groups made by hand: nothing is deleted, each change can be undone. One thread.
class Groups : public Table {
 public:
  Groups(Connection& connection, const Findings& findings, Events& events, Alarms& alarms)
      : Table(connection), findings_(findings), events_(events), alarms_(alarms) {}

  /// A change's id; in words: why it cannot be done.
  using Changed = tl::expected<Id, std::string>;
  /// A program is an occurrence of one finding once. Raises the finding's alarm where it swallows too much.
  void add_occurrence(Id finding, Id program, const std::string& why, Millis at);
  /// Of the finding and those merged into it, each program once, oldest first.
  [[nodiscard]] std::vector<OccurrenceRow> occurrences_of(Id finding) const;
  /// What an occurrence was traced to: the line of what makes it vanish; empty: nothing is known to.
  void set_blamed_pass(Id finding, Id program, const std::string& pass, Millis at);
  /// `change.finding` is counted and listed as `change.other` from now on; what shows it later, too.
  Changed merge(const GroupingChange& change);
  /// Programs of `change.finding` become occurrences of `change.other`, a finding made for them.
  Changed split(const GroupingChange& change, const std::vector<Id>& programs);
  /// Why `programs` cannot be split off; nullopt: they can.
  [[nodiscard]] std::optional<std::string> cannot_split(Id finding, const std::vector<Id>& programs) const;
  /// A change that no later one builds on; without an id the newest.
  Changed undo(std::optional<Id> change, const std::string& who, Millis at);
  /// Of this finding, oldest first.
  [[nodiscard]] std::vector<GroupingChange> changes_of(Id finding) const;

 private:
  void regroup(Id finding, Id other, Millis at);
  void look_for_two_causes(Id finding, Millis at);

  const Findings& findings_;
  Events& events_;
  Alarms& alarms_;
};

}  // namespace parityd::store
