// Drafts of issues, and the words that a model has for them. Times are Unix milliseconds.
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

/// A title and a summary that a model wrote of a finding's facts.
struct DraftWords {
  Id finding = 0;
  std::string title, summary;
  std::string writer;  // provider and model
  std::string why;     // the template's words stand instead; empty: these do
  Millis at = 0;
};

/// Drafts of issues, and the words that a model has for them. One thread.
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
  void set_words(const DraftWords& words);
  [[nodiscard]] std::optional<DraftWords> words(Id finding) const;
  /// Ready and new findings that no model was asked to describe, the worst first.
  [[nodiscard]] std::vector<Id> without_words(int limit) const;

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
