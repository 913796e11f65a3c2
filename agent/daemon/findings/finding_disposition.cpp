#include "agent/daemon/findings/finding_disposition.h"

#include <algorithm>

#include "agent/daemon/findings/known.h"
#include "oracle/finding/tool_reports.h"

namespace parityd::agent {
namespace {

std::optional<oracle::Side> out_of_bounds(const store::Store& store, store::Id finding) {
  const auto told = store.inspections.find(finding, "memcheck");
  return told ? oracle::out_of_bounds(oracle::read_sanitizer_report(told->text)) : std::nullopt;
}

}  // namespace

DispositionPolicy disposition_policy(const Config& config) {
  return {.choices = config.dispositions,
          .known_max_age = config.known_max_age,
          .newest_configured = !config.newest_python.empty(),
          .newest_torch = "",
          .torches = {}};
}

oracle::NewestTorch newest_torch_says(const store::Store& store, store::Id finding, const DispositionPolicy& policy) {
  if (!policy.newest_configured) return oracle::NewestTorch::not_configured;
  auto said = oracle::NewestTorch::untried;
  for (const auto& row : store.rechecks.of(finding)) {
    const bool counts = policy.newest_torch.empty() ? row.newest : row.torch == policy.newest_torch;
    if (!counts || row.elsewhere || row.result == store::RecheckResult::cannot) continue;
    said = row.result == store::RecheckResult::still  ? oracle::NewestTorch::shows
           : row.result == store::RecheckResult::gone ? oracle::NewestTorch::gone
                                                      : oracle::NewestTorch::different;
  }
  return said;
}

oracle::DispositionFacts disposition_facts(const store::Store& store, const store::FindingRow& finding,
                                           const DispositionPolicy& policy, store::Millis now) {
  const auto beyond = out_of_bounds(store, finding.id);
  return {.flaky = finding.hits < finding.rounds && !beyond,  // it shows every time it is looked for
          .trigger = finding.trigger,
          .newest = newest_torch_says(store, finding.id, policy),
          .known_age = known_age(store.known.gathered_at(), now).value_or(std::chrono::seconds::max()),
          .known_max_age = policy.known_max_age,
          .calls_overloads = oracle::calls_overloads(finding.reduced),
          .asks_for_strides = oracle::asks_for_strides(finding.reduced),
          .out_of_bounds = beyond,
          .script = script_says(store, finding, policy)};
}

oracle::DispositionFacts disposition_facts(const std::optional<oracle::ScriptReport>& script) {
  return {.script = script ? oracle::script_runs(*script) : oracle::ScriptRuns::not_asked};
}

oracle::ScriptRuns script_says(const store::Store& store, const store::FindingRow& finding,
                               const DispositionPolicy& policy) {
  auto wanted = store.scripts.torches_claimed(finding.id);
  bool shown = false;
  for (const auto& run : store.scripts.runs(finding.id)) {
    const auto claimed = std::ranges::find(wanted, run.torch);
    if (run.device != finding.device || claimed == wanted.end()) continue;
    if (run.report.says == oracle::ScriptSays::not_shown) return oracle::ScriptRuns::not_shown;
    if (run.report.says == oracle::ScriptSays::shown) {
      shown = true;
      wanted.erase(claimed);
    }
  }
  const bool waits = std::ranges::any_of(
      wanted, [&](const auto& torch) { return std::ranges::find(policy.torches, torch) != policy.torches.end(); });
  return shown && !waits ? oracle::ScriptRuns::shown : oracle::ScriptRuns::wanted;
}

bool rests_with_a_person(const oracle::Disposition& disposition) {
  return disposition.is_held("split") || disposition.is_held("tampered");
}

}  // namespace parityd::agent
