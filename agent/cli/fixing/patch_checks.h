// What a patch of torch's Python files must stand, one check each, in the order of their cost. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <vector>

#include "agent/cli/fixing/patch_sides.h"
#include "agent/fixing/fired.h"
#include "store/findings/fixes.h"
#include "store/store.h"

namespace parityd::agent {

/// Fewer stored programs than this that call the finding's operators say too little about a patch.
inline constexpr std::int64_t kFewestRelated = 10;

class PatchChecks {
 public:
  /// `functions`: those that the patch changes, as Patch::functions. References outlive this object.
  PatchChecks(PatchSides& sides, const store::Store& store, const store::FindingRow& finding,
              std::vector<std::string> functions);

  /// A check that says nothing more than it was passed has FixResult::accepted. The error: no worker can be started.
  using Checked = tl::expected<store::FixCheck, std::string>;

  /// The finding's reduced program, in rounds of fresh processes.
  [[nodiscard]] Checked vanishes(int rounds);
  /// Other programs that showed it.
  [[nodiscard]] Checked occurrences();
  /// The regression test by a plain interpreter: it fails without the patch and passes with it.
  [[nodiscard]] Checked regression_test(const std::string& script);
  /// Variants of the program: sibling operators that run the changed code, dtypes and their limits, scalars, ranks and
  /// sizes, gradients, dynamic shapes (executor/syntax/mutating/sweep.py).
  [[nodiscard]] Checked variants();
  /// What the compiler does for the program still happens; where it does not, it must happen for right programs.
  /// Before it: variants().
  [[nodiscard]] Checked fired(const std::string& torch);
  /// Programs of this torch and device that were consistent: those that call the finding's operators, those that call
  /// others which reach the changed functions, then any.
  [[nodiscard]] Checked programs(const std::string& torch, int most, std::uint64_t seed);
  /// torch's own samples of every operator that reaches the changed functions.
  [[nodiscard]] Checked samples();
  /// Programs of the shipped corpus.
  [[nodiscard]] Checked corpus(std::uint64_t seed);
  /// Other confirmed findings of this torch that vanish with the patch.
  [[nodiscard]] tl::expected<std::vector<store::Id>, std::string> also_gone();

  /// Both results of vanishes(), which must have been called.
  [[nodiscard]] const BothJudged& judged() const { return judged_; }

 private:
  /// Operators whose lowering, decomposition or meta function reaches the changed functions: "add". Asked once.
  [[nodiscard]] const std::vector<std::string>& reached();
  /// Runs programs that must stay right: fails with FixResult::breaks if one does not.
  [[nodiscard]] Checked stay_right(const std::string& name, std::vector<PatchCase> programs);
  /// Whether the variant shows the finding with the patch as without it, by the same cause as far as that is known.
  [[nodiscard]] tl::expected<bool, std::string> still_shows(const TriedCase& variant);
  /// What the compiler did for the program, with and without the patch. The error: the tool failed.
  struct BothFired {
    Fired with, without;
  };
  /// nullopt: its compilation cannot be traced. The error: no worker can be started.
  [[nodiscard]] tl::expected<std::optional<BothFired>, std::string> fired_for(const PatchCase& program);
  /// The same for the finding's program, traced once.
  [[nodiscard]] tl::expected<std::optional<BothFired>, std::string> own_fired();
  /// False: the finding's program runs the changed code, and this one, which still shows a difference, does not.
  /// Findings are grouped by what neutralises them, and that can be as coarse as all of Inductor's patterns.
  [[nodiscard]] tl::expected<bool, std::string> may_share_cause(const PatchCase& program);
  /// The same; nullopt also if the program is not right without the patch.
  [[nodiscard]] tl::expected<std::optional<BothFired>, std::string> fired_if_right(const PatchCase& program);
  /// Programs, most of them right, for which the compiler may do what is gone: the likest ones, those that call the
  /// operators of what is gone, those that call the finding's.
  [[nodiscard]] std::vector<PatchCase> likely_right(const std::string& torch, const std::vector<SwitchedOff>& gone);

  PatchSides& sides_;
  const store::Store& store_;
  const store::FindingRow& finding_;
  std::vector<std::string> functions_;
  std::vector<std::string> operators_;  // of the finding, as "add"
  RecheckCase case_;
  BothJudged judged_;
  std::optional<std::vector<std::string>> reached_;
  std::optional<BothFired> own_fired_;
  std::vector<PatchCase> right_;  // variants that are right with the patch
};

}  // namespace parityd::agent
