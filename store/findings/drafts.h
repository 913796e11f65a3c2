// Drafts of issues. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/ids.h"
#include "store/findings/findings.h"
#include "store/findings/inspections.h"
#include "store/findings/known_table.h"
#include "store/findings/rechecks.h"
#include "store/findings/scripts.h"
#include "store/findings/triage.h"

namespace parityd::store {

class Connection;

struct DraftRow {
  Id finding = 0;
  std::string title, body, repro;
  Millis created_at = 0;
};

/// Drafts of issues. One thread.
class Drafts {
 public:
  Drafts(Connection& connection, const Findings& findings, const Triage& triage, const Known& known,
         const Inspections& inspections, const Rechecks& rechecks, const Scripts& scripts)
      : connection_(connection),
        findings_(findings),
        triage_(triage),
        known_(known),
        inspections_(inspections),
        rechecks_(rechecks),
        scripts_(scripts) {}

  void set(const DraftRow& row);
  [[nodiscard]] std::optional<DraftRow> find(Id finding) const;

 private:
  Connection& connection_;
  const Findings& findings_;
  const Triage& triage_;
  const Known& known_;
  const Inspections& inspections_;
  const Rechecks& rechecks_;
  const Scripts& scripts_;
};

}  // namespace parityd::store
