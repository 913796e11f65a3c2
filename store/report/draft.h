// The text of a GitHub issue for a finding, and its stand-alone repro script (docs/drafts.md). Pure; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/report/suspicion.h"
#include "store/store.h"

namespace parityd::store {

struct DraftFacts {
  FindingRow finding;
  EnvironmentRow environment;
  std::vector<EvidenceRow> rounds;         // confirmation rounds of its first program's reduced form, in order
  std::optional<oracle::Evidence> stages;  // stage modes
  std::optional<AttributionRow> attribution;
  std::string options_json = "{}";
  std::uint64_t seed = 0;              // under which programs' inputs and models were made
  std::optional<std::string> extent;   // a sentence: siblings, dtypes, sizes, devices, modes, threads that show it too
  bool any_threads = false;            // shown with one thread and with several
  std::optional<Suspicion> suspicion;  // a model's; only shown if attribution agrees
};

/// The stored facts about a finding's first program.
[[nodiscard]] DraftFacts draft_facts(const Store& store, const FindingRow& finding, std::uint64_t seed);

/// The first round that showed the finding's kind of inconsistency; null if none did.
[[nodiscard]] const EvidenceRow* shown_round(const DraftFacts& facts);

/// A Python script that needs only torch. Prints what it compares; exits with 0 shown, 1 not shown, 2 cannot tell.
[[nodiscard]] std::string render_repro(const DraftFacts& facts);

/// A Python file in the style of PyTorch's own test suite (needs torch, numpy and expecttest, as the suite does): fails
/// while the bug exists, and passes once it is fixed.
[[nodiscard]] std::string render_regression_test(const DraftFacts& facts);

/// Title and body under the three headings of PyTorch's pt2-bug-report.yml, from store/draft.mustache. Text of programs
/// and messages is escaped: it cannot mention, refer to an issue, or end a fence early. The body has at most 65,536
/// characters. Throws StoreError if the template cannot be used.
[[nodiscard]] DraftRow render_draft(const DraftFacts& facts, const std::filesystem::path& template_file, Millis now);

// One comment for an umbrella issue, with all cases that are not reported yet. Pure; any thread.

/// A table of the findings and, collapsed, the program of each, as many as GitHub's limit allows; it says how many were
/// left out. Text of programs and messages is escaped.
[[nodiscard]] std::string umbrella_comment(const std::vector<FindingRow>& findings);

}  // namespace parityd::store
