#include "agent/daemon/findings/observations.h"

#include <algorithm>
#include <utility>

#include "agent/daemon/program/examiner.h"

namespace parityd::agent {
namespace {

/// About as many as there are programs in progress at once; the evidence of a large program takes a megabyte.
constexpr std::size_t kKept = 32;

/// Derives what follows from all rounds together.
void conclude(Observations& all) {
  if (all.controls.shows) {
    const oracle::Evidence& stages = all.controls.shown.evidence;
    all.controls.shown.stage = oracle::first_differing_stage(stages, all.controls.shown.verdict);
    all.confirmation.shown.stage = all.controls_hold()
                                       ? all.controls.shown.stage
                                       : oracle::first_differing_stage(stages, all.confirmation.shown.verdict);
  }
  const auto tells = [](const oracle::Shown& one) {
    const auto signature = oracle::raw_signature(one.verdict, one.evidence, one.stage, "");
    return std::pair{oracle::tells_of_zero_sign(signature), oracle::known_issue(signature)};
  };
  all.final_hits = 0;
  for (const auto& row : all.final_confirmation.rounds) {
    const oracle::Shown shown{.verdict = row.verdict, .evidence = row.evidence, .stage = all.confirmation.shown.stage};
    const bool same =
        !oracle::why_another(all.confirmation.shown, shown) && tells(all.confirmation.shown) == tells(shown);
    all.final_hits += same ? 1 : 0;
  }
}

}  // namespace

Observed Observations::finding_look() const {
  Observed look = reduction_confirmed() ? final_confirmation : confirmation;
  look.stages = stages;
  if (look.stages) look.shown.stage = oracle::first_differing_stage(*look.stages, look.shown.verdict);
  return look;
}

std::optional<oracle::Signature> Observations::raw_signature() const {
  if (!controls.shows && !confirmation.shows) return std::nullopt;
  const Observed& look = controls.shows && controls_hold() ? controls : confirmation;
  return oracle::raw_signature(look.shown.verdict, look.shown.evidence, look.shown.stage, look.environment.device);
}

const Observations& Observer::of(store::Id program) {
  const auto known = seen_.find(program);
  auto rows = store_.examinations.of(program, known == seen_.end() ? 0 : known->second.last);
  if (known == seen_.end()) {
    order_.push_back(program);
    if (order_.size() > kKept) {
      seen_.erase(order_.front());
      order_.pop_front();
    }
  }
  Seen& seen = seen_[program];
  for (auto& row : rows) {
    seen.last = row.id;
    add(seen.observations, std::move(row));
  }
  if (!rows.empty()) conclude(seen.observations);
  return seen.observations;
}

void Observer::forget(store::Id program) {
  seen_.erase(program);
  std::erase(order_, program);
}

void Observer::add(Observations& all, store::EvidenceRow row) const {
  if (row.purpose == Examination::screen) {
    all.stepped_over = oracle::neutralisers_from_line(row.neutralisers).value_or(std::vector<oracle::Neutraliser>{});
    if (row.neutralisers.empty() && row.verdict.kind) all.suspected_kind = *row.verdict.kind;
  } else if (row.purpose == Examination::stages) {
    all.stages = std::move(row.evidence);
  } else if (row.purpose == Examination::trigger) {
    all.trials.push_back(std::move(row));
  } else if (row.purpose == Examination::residual) {
    all.residual_known = true;
  } else if (row.purpose == Examination::controls) {
    take_round(all.controls, std::move(row));
  } else if (row.purpose == Examination::confirmation) {
    take_round(all.confirmation, std::move(row));
  } else if (row.purpose == Examination::final_confirmation) {
    take_round(all.final_confirmation, std::move(row));
  }
}

void Observer::take_round(Observed& look, store::EvidenceRow row) const {
  const auto hung = [](const store::EvidenceRow& round) { return round.verdict.kind == oracle::Kind::hang; };
  const bool overruled = look.shows && std::ranges::all_of(look.rounds, hung) && !hung(row);
  if ((!look.shows || overruled) && row.verdict.verdict == oracle::VerdictKind::inconsistent) {
    look.shows = true;
    look.since = look.rounds.size();
    look.shown = {.verdict = row.verdict, .evidence = row.evidence};
    look.environment = store_.environments.find(row.environment).value_or(store::EnvironmentRow{});
  }
  look.rounds.push_back(std::move(row));
}

}  // namespace parityd::agent
