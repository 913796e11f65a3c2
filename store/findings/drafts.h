// Drafts of issues. Times are Unix milliseconds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/findings/findings.h"
#include "store/findings/fixes.h"
#include "store/findings/inspections.h"
#include "store/findings/known_issues.h"
#include "store/findings/known_table.h"
#include "store/findings/rechecks.h"
#include "store/findings/triage.h"

namespace parityd::store {

/// GitHub's limit for the body of an issue, in characters.
inline constexpr std::size_t kLongestBody = 65'536;

struct DraftRow {
  Id finding = 0;
  std::string title, body, repro;
  Millis created_at = 0;
};

/// Drafts of issues. One thread.
class Drafts : public Table {
 public:
  Drafts(Connection& connection, const Findings& findings, const Triage& triage, const Known& known,
         const Inspections& inspections, const Rechecks& rechecks, const Scripts& scripts, const Fixes& fixes)
      : Table(connection),
        findings_(findings),
        triage_(triage),
        known_(known),
        inspections_(inspections),
        rechecks_(rechecks),
        scripts_(scripts),
        fixes_(fixes) {}

  void set(const DraftRow& row);
  [[nodiscard]] std::optional<DraftRow> find(Id finding) const;

 private:
  const Findings& findings_;
  const Triage& triage_;
  const Known& known_;
  const Inspections& inspections_;
  const Rechecks& rechecks_;
  const Scripts& scripts_;
  const Fixes& fixes_;
};

// The parts of a draft that are filled in after it was made: what a person checked, known issues that may be it, where
// its trace log is, the result of its script, what torch's bisector found, on which torches it was tried, and a change
// that makes it vanish. The stored text has them empty. Internal to store/. Pure; any thread.

struct LaterFacts {
  FindingRow finding;
  std::string checked;  // by a person; may be empty
  std::vector<KnownMatch> known;
  bool traced = false;                 // the text of the `trace` tool is kept
  std::vector<std::string> sanitized;  // compute-sanitizer's findings about its kernels, one entry per tool
  std::optional<oracle::BisectReport> bisected;
  std::vector<RecheckRow> rechecks;
  std::vector<ScriptRun> scripts;
  std::optional<FixTry> change;  // the newest accepted one
};

/// `body` with these parts filled in. A part that nobody checked stays empty, and the first line is unchanged if only
/// the finding's own torch was tried.
[[nodiscard]] std::string filled_draft(std::string body, const LaterFacts& facts);

}  // namespace parityd::store
