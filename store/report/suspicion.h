// A model's hypothesis about a finding's cause, made after reading the compiler's sources, compared with attribution.
// The thread of the store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/reading/agreement.h"
#include "store/store.h"

namespace parityd::store {

struct Suspicion {
  std::string hypothesis;            // in the model's words
  std::string strategy;              // of the request
  Id reply = 0;                      // that contains it
  std::string torch;                 // whose sources it had read
  std::optional<SourcePlace> place;  // in these, with the unit's own name; nullopt: it names none that exists
  Agreement agreement = Agreement::unknown;
};

/// The unit whose place a hypothesis names, among those of the torch that was read; nullopt if it names none.
[[nodiscard]] std::optional<SourceUnitRow> unit_supposed(const Store& store, const ReadingRow& reading,
                                                         const std::string& hypothesis);

/// nullopt if no hypothesis led to the finding. Computed from stored rows; not stored itself.
[[nodiscard]] std::optional<Suspicion> suspicion_of(const Store& store, const FindingRow& finding);

/// How often attribution agreed with a strategy's hypotheses, over the findings that they led to.
struct AgreementCounts {
  std::string strategy;
  int agrees = 0, disagrees = 0, unknown = 0;
};
[[nodiscard]] std::vector<AgreementCounts> agreement_counts(const Store& store);  // by strategy

}  // namespace parityd::store
