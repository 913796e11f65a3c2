// Runs programs and tools with a patch of torch's Python files and without it: the two groups of one engine. Blocks;
// one thread.
#pragma once

#include <tl/expected.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/running/job_session.h"
#include "store/findings/rechecks.h"

namespace parityd::agent {

inline constexpr executor::GroupIndex kWithPatch = 0;
inline constexpr executor::GroupIndex kWithoutPatch = 1;

/// Results for a finding with and without the patch: result, hits, rounds and reason.
struct BothJudged {
  store::RecheckRow with, without;
  bool faultless = false;  // with the patch: every round is consistent, or excused as rounding is

  [[nodiscard]] bool shows_without() const { return without.result == store::RecheckResult::still; }
  [[nodiscard]] bool vanishes() const { return shows_without() && faultless; }
};

struct PatchCase {
  std::string name;  // "program 17", "siblings: sub"
  std::string text;
  std::string options_json = "{}";
};

/// A program's results.
struct TriedCase {
  PatchCase program;
  oracle::Verdict screened;                    // with the patch, by a warm worker
  std::optional<oracle::Shown> with, without;  // by fresh processes, if the warm worker saw no consistent program
  std::string harness_failure;

  [[nodiscard]] bool judged() const { return harness_failure.empty(); }
  [[nodiscard]] bool consistent() const { return judged() && !with; }
  /// Consistent without the patch and not with it, by fresh processes.
  [[nodiscard]] bool broken() const;
};

/// Texts of a tool. An error: the tool failed.
struct BothTexts {
  tl::expected<std::string, std::string> with, without;
};

class PatchSides {
 public:
  /// `progress`: called with a line from time to time. REQUIRES: an engine made with an overlay (EngineUse::overlay).
  PatchSides(Engine& engine, const Config& config, std::function<void(const std::string&)> progress);

  /// Rounds of fresh processes. The error, here and below: no worker can be started.
  [[nodiscard]] tl::expected<BothJudged, std::string> judge(const RecheckCase& found, int rounds);
  /// Whether the finding shows without the patch, and every round with it is faultless.
  [[nodiscard]] tl::expected<bool, std::string> vanishes(const RecheckCase& found, int rounds);
  /// Screens each program with the patch; one that is not consistent runs in fresh processes on both sides.
  [[nodiscard]] tl::expected<std::vector<TriedCase>, std::string> run(std::vector<PatchCase> programs);
  [[nodiscard]] tl::expected<BothTexts, std::string> inspect(const Inspection& what);
  /// For what a patch does not change: one side's text. The error: the tool failed, or no worker can be started.
  [[nodiscard]] tl::expected<std::string, std::string> inspect_without(Inspection what);
  /// Whether the program is consistent or excused without the patch, with the neutralisers in effect, by a warm worker.
  [[nodiscard]] tl::expected<bool, std::string> right_without(
      const PatchCase& program, const std::vector<oracle::Neutraliser>& neutralisers = {});
  /// Variants of a program for a sweep. Empty: there are none.
  [[nodiscard]] std::vector<PatchCase> sweep(const executor::SweepWishes& wishes);
  /// A program as the daemon would run it; nullopt: it is none.
  [[nodiscard]] std::optional<PatchCase> normalised(std::string name, const std::string& text);

  void tell(const std::string& line) const { progress_(line); }

 private:
  [[nodiscard]] tl::expected<BothJudged, std::string> judge_on(std::vector<executor::GroupIndex> sides,
                                                               const RecheckCase& found, int rounds);
  void begin_some();
  void on_result(const Examined& examined);
  void finish(std::map<store::Id, TriedCase>::iterator found);

  Engine& engine_;
  JobSession session_;
  std::function<void(const std::string&)> progress_;
  store::Id next_ = 1;  // numbers of programs: never used twice, as a result may come late
  std::deque<PatchCase> waiting_;
  std::map<store::Id, TriedCase> running_;
  std::vector<TriedCase> done_;
};

}  // namespace parityd::agent
