// The daemon's attributing: what makes a finding vanish, and whether a new suspect vanishes with a finding's
// neutraliser.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/daemon/daemon.h"

namespace parityd::agent {
namespace {

/// Neutralisers of so many findings are tried on a new suspect: one compile each.
constexpr std::size_t kMostKin = 3;

store::AttributionRow row_of(store::Id program, const Attributor& attributor, store::Millis now) {
  const auto& result = attributor.result();
  nlohmann::json ablations = nlohmann::json::array();
  for (const auto& tried : result.tried) {
    ablations.push_back({{"words", oracle::text(tried.neutralisers)}, {"answer", oracle::words(tried.answer)}});
  }
  return {.program = program,
          .neutraliser = oracle::line(result.neutraliser),
          .words = oracle::text(result.neutraliser),
          .workaround = result.workaround ? result.workaround->python : "",
          .caveat = result.workaround ? result.workaround->caveat : "",
          .why = result.why,
          .ablations_json = ablations.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
          .runs = attributor.runs(),
          .seconds = attributor.seconds(),
          .at = now};
}

}  // namespace

/// A hang is not attributed: each run would take its whole deadline.
void Daemon::begin_attribution(store::ProgramRow program) {
  const auto told = recorder_.told(program);
  auto confirmed = recorder_.confirmed(program.id);
  if (confirmed.verdict.kind == oracle::Kind::hang) {
    parts_.store.reductions.set_attribution({.program = program.id, .why = "a hang is not attributed", .at = wall_});
    return go_on(std::move(program));
  }
  const auto subject = confirmed_subject(program, told);
  const auto hello = parts_.pool.hello(subject.group);
  const Place place{.torch = hello ? hello->torch : "",
                    .cuda = parts_.pool.config(subject.group).device == executor::DeviceKind::cuda};
  const auto stage = confirmed.stage;
  attributors_.erase(program.id);
  attributors_.try_emplace(program.id, examiner_, subject, std::move(confirmed), place);
  active_[program.id] = std::move(program);
  outbox_.push_back([this, id = subject.program, stage] {
    if (const auto found = attributors_.find(id); found != attributors_.end()) {
      found->second.begin(stage, now_);
    }
  });
}

/// A suspect that no finding's raw signature explains: does a neutraliser of the nearest findings make it vanish?
void Daemon::begin_kinship(store::ProgramRow program) {
  Kinship kinship;
  kinship.symptom = std::make_shared<const oracle::Shown>(recorder_.suspected(program.id));
  for (const auto& finding : recorder_.nearest(program.id, kMostKin)) {
    if (auto neutralisers = oracle::neutralisers_from_line(finding.neutraliser)) {
      kinship.findings.push_back(finding.id);
      kinship.neutralisers.push_back(std::move(*neutralisers));
    }
  }
  const store::Id id = program.id;
  kinships_.insert_or_assign(id, std::move(kinship));
  active_[id] = std::move(program);
  try_next_kin(id);
}

void Daemon::try_next_kin(store::Id program) {
  Kinship& kinship = kinships_.at(program);
  if (kinship.next == kinship.findings.size()) {
    end_kinship(program, std::nullopt);
    return;
  }
  const oracle::Ablation ablation{.number = static_cast<int>(kinship.next),
                                  .neutralisers = kinship.neutralisers[kinship.next]};
  ++kinship.next;
  outbox_.push_back([this, subject = subject_of(active_.at(program)), ablation, symptom = kinship.symptom] {
    examiner_.ablate(subject, ablation, symptom, now_);
  });
}

void Daemon::end_kinship(store::Id program, std::optional<store::Id> finding) {
  const auto verdict = kinships_.at(program).symptom->verdict;
  kinships_.erase(program);
  KinTried tried{.verdict = verdict};
  std::string neutraliser;
  if (finding) {
    recorder_.adopt(*finding, program);
    neutraliser = parts_.store.findings.find(*finding).value().neutraliser;
    tried.familiar = Familiar::yes;
    tried.why = fmt::format("it vanishes with the neutraliser of finding {}: {}", *finding, neutraliser);
  }
  step(take_active(program).value(), tried);
  if (finding) {
    recorder_.blame(program, neutraliser, wall_);
  }
}

void Daemon::ablated(const Examined& examined) {
  if (const auto kinship = kinships_.find(examined.program); kinship != kinships_.end()) {
    if (examined.answer == oracle::Answer::vanishes) {
      end_kinship(examined.program, kinship->second.findings[static_cast<std::size_t>(examined.round)]);
    } else {
      try_next_kin(examined.program);
    }
    return;
  }
  const auto found = attributors_.find(examined.program);
  if (found == attributors_.end()) {
    return;
  }
  found->second.take(examined, now_);
  if (!found->second.done()) {
    return;
  }
  parts_.store.reductions.set_attribution(row_of(examined.program, found->second, wall_));
  reach(KillPoint::attributed);
  attributors_.erase(found);
  go_on(take_active(examined.program).value());
}

}  // namespace parityd::agent
