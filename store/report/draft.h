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
  std::vector<EvidenceRow> rounds;         // gate rounds of what its first program was reduced to, in order
  std::optional<oracle::Evidence> ladder;  // stage modes
  std::optional<AttributionRow> attribution;
  std::string options_json = "{}";
  std::uint64_t seed = 0;              // programs' inputs and models were made under it
  std::optional<std::string> extent;   // a sentence: siblings, dtypes, sizes, devices, modes, threads that show it too
  bool any_threads = false;            // shown with one as with several
  std::optional<Suspicion> suspicion;  // a model's; told only where attribution agrees
};

/// What the store knows of a finding's first program.
[[nodiscard]] DraftFacts draft_facts(const Store& store, const FindingRow& finding, std::uint64_t seed);

/// A Python script that needs torch alone: prints what it compares; exits 0 shown, 1 not shown, 2 cannot tell.
[[nodiscard]] std::string render_repro(const DraftFacts& facts);

/// A Python file in the manner of PyTorch's own suite (needs what that needs: torch, numpy, expecttest): fails while
/// the finding is there, passes once it is gone.
[[nodiscard]] std::string render_regression_test(const DraftFacts& facts);

/// Title and body in the three headings of PyTorch's pt2-bug-report.yml, from store/draft.mustache. Text of programs
/// and messages is escaped: no mention, no issue reference, no early end of a fence. Body ≤ 65,536 characters.
[[nodiscard]] DraftRow render_draft(const DraftFacts& facts, const std::filesystem::path& template_file, Millis now);

// One comment for an umbrella issue, with all cases that nobody has reported. Pure; any thread.

/// A table of the findings and, collapsed, the program of each, as far as GitHub's limit allows; what was left out is
/// said. Text of programs and messages is escaped.
[[nodiscard]] std::string umbrella_comment(const std::vector<FindingRow>& findings);

}  // namespace parityd::store
