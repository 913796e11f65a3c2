#include "oracle/finding/reach.h"

#include <algorithm>

#include "oracle/names.h"

namespace parityd::oracle {
namespace {

constexpr std::uint64_t kSeeds = 3;

}  // namespace

std::vector<ReachTrial> reach_trials(bool has_settings) {
  std::vector<ReachTrial> trials;
  for (const bool default_settings : {true, false}) {
    if (!default_settings && !has_settings) break;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) trials.push_back({seed, default_settings});
  }
  return trials;
}

bool shows(const Verdict& finding, const Verdict& trial, const Evidence& evidence) {
  return trial.verdict == VerdictKind::inconsistent && trial.kind == finding.kind && !evidence.inputs.edge();
}

std::optional<Reach> reach_after(const std::vector<bool>& shown, bool has_settings) {
  const std::vector<ReachTrial> trials = reach_trials(has_settings);
  const auto first = std::find(shown.begin(), shown.end(), true);
  if (first != shown.end()) {
    const auto index = static_cast<std::size_t>(first - shown.begin());
    return index < trials.size() && !trials[index].default_settings ? Reach::config : Reach::ordinary;
  }
  return shown.size() >= trials.size() ? std::optional(Reach::edge) : std::nullopt;
}

}  // namespace parityd::oracle
