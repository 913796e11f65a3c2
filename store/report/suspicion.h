// What a model supposed of a finding's cause after reading the compiler's sources, beside what attribution says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/reading/agreement.h"
#include "store/store.h"

namespace parityd::store {

struct Suspicion {
  std::string hypothesis;            // the model's words
  std::string strategy;              // that asked it
  Id reply = 0;                      // in which it stands
  std::string torch;                 // whose sources it had read
  std::optional<SourcePlace> place;  // in these, the unit's own name; nullopt: the hypothesis names none that is there
  Agreement agreement = Agreement::unknown;
};

/// The unit whose place a hypothesis names, among those of the torch that was read; nullopt: it names none.
[[nodiscard]] std::optional<SourceUnitRow> unit_supposed(const Store& store, const ReadingRow& reading,
                                                         const std::string& hypothesis);

/// nullopt: no hypothesis led to the finding. Computed from what is stored; nothing of it is kept.
[[nodiscard]] std::optional<Suspicion> suspicion_of(const Store& store, const FindingRow& finding);

/// How often attribution agreed with what a strategy's hypotheses said, of findings that they led to.
struct AgreementCounts {
  std::string strategy;
  int agrees = 0, disagrees = 0, unknown = 0;
};
[[nodiscard]] std::vector<AgreementCounts> agreement_counts(const Store& store);  // by strategy

}  // namespace parityd::store
