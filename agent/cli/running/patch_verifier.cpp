#include "agent/cli/running/patch_verifier.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <set>

namespace parityd::agent {
namespace {

using executor::Clock;
using oracle::VerdictKind;

constexpr executor::GroupIndex kWith = 0;  // groups of the engine
constexpr executor::GroupIndex kWithout = 1;

/// Both sides run at once, and a round's folder is named after the subject's program.
Subject on_side(Subject subject, executor::GroupIndex group) {
  subject.group = group;
  subject.program = group == kWith ? subject.program : -subject.program;
  return subject;
}

Subject subject_of(const store::ProgramRow& program, executor::GroupIndex group) {
  return on_side({.program = program.id, .text = program.text, .options_json = program.options_json}, group);
}

}  // namespace

bool Tried::broken() const {
  return with && without && with->verdict != VerdictKind::consistent && without->verdict == VerdictKind::consistent;
}

PatchVerifier::PatchVerifier(Engine& engine, const Config& config, std::function<void(const std::string&)> progress)
    : engine_(engine),
      session_(engine, config.seed, config.excuses_off),
      rounds_(config.confirmation_rounds),
      progress_(std::move(progress)) {}

tl::expected<PatchVerifier::Judged, std::string> PatchVerifier::finding(const RecheckCase& found) {
  std::vector<executor::GroupIndex> sides{kWithout, kWith};
  const auto next = [&]() -> std::optional<RecheckCase> {
    if (sides.empty()) return std::nullopt;
    RecheckCase side = found;
    side.subject = on_side(std::move(side.subject), sides.back());
    sides.pop_back();
    return side;
  };
  Judged judged;
  const auto ran = session_.recheck(next, rounds_, sides.size(), [&](const Subject& subject, const Recheck& recheck) {
    (subject.group == kWith ? judged.with : judged.without) = recheck.result();
  });
  return ran.map([&] { return judged; });
}

tl::expected<Fired, std::string> fired_on(JobSession& session, const store::FindingRow& finding,
                                          executor::GroupIndex group) {
  auto what = inspection_of(finding, "fired");
  what.group = group;
  return session.inspect(std::move(what)).and_then([](const auto& text) { return read_fired(text); });
}

WhatFired PatchVerifier::fired(const store::FindingRow& found) {
  std::map<executor::GroupIndex, Fired> sides;
  for (const auto group : {kWithout, kWith}) {
    const auto fired = fired_on(session_, found, group);
    if (!fired) return {.switched_off = {}, .problem = fired.error()};
    sides[group] = *fired;
  }
  return {.switched_off = switched_off(sides[kWithout], sides[kWith]), .problem = {}};
}

RegressionTest PatchVerifier::regression(store::Id finding, const std::string& script) {
  const auto run = [&](executor::GroupIndex group) {
    const auto text = session_.inspect({.finding = finding,
                                        .file_name = fmt::format("test_finding_{}.py", finding),
                                        .program = script,
                                        .tool = "regression",
                                        .group = group,
                                        .place = {}});
    return text ? text->substr(0, text->find('\n')) : text.error();
  };
  return {.without = run(kWithout), .with = run(kWith)};
}

tl::expected<std::vector<Tried>, std::string> PatchVerifier::programs(std::vector<Tried> programs) {
  waiting_.assign(std::make_move_iterator(programs.begin()), std::make_move_iterator(programs.end()));
  begin_some();
  const auto ran = session_.run([this] { return running_.empty(); },
                                [this](const Examined& examined) {
                                  on_result(examined);
                                  begin_some();
                                });
  return ran.map([this] { return std::move(done_); });
}

void PatchVerifier::begin_some() {
  const auto most = std::size_t{2} * static_cast<std::size_t>(engine_.pool->config(kWith).warm_workers);
  while (running_.size() < most && !waiting_.empty()) {
    Tried tried = std::move(waiting_.front());
    waiting_.pop_front();
    session_.examiner().screen(subject_of(tried.program, kWith), {}, Clock::now());
    running_.emplace(tried.program.id, std::move(tried));
  }
}

void PatchVerifier::on_result(const Examined& examined) {
  const auto found = running_.find(std::abs(examined.program));
  if (found == running_.end()) return;
  Tried& tried = found->second;
  if (!examined.harness_failure.empty()) {
    tried.harness_failure = examined.harness_failure;
    return finish(found);
  }
  if (examined.what == Examination::screen) {
    tried.screened = examined.verdict;
    if (examined.trusted && examined.verdict.verdict == VerdictKind::consistent) return finish(found);
    for (const auto group : {kWith, kWithout}) {
      session_.examiner().confirm(subject_of(tried.program, group), Examination::recheck, 1, Clock::now());
    }
    return;
  }
  (examined.group == kWith ? tried.with : tried.without) = examined.verdict;
  if (tried.with && tried.without) finish(found);
}

void PatchVerifier::finish(std::map<store::Id, Tried>::iterator found) {
  done_.push_back(std::move(found->second));
  running_.erase(found);
  constexpr std::size_t kTellEvery = 10;
  if (done_.size() % kTellEvery == 0) {
    progress_(fmt::format("{} programs, {} to go", done_.size(), waiting_.size() + running_.size()));
  }
}

std::vector<Tried> programs_to_try(const store::Store& store, const std::string& torch, const std::string& device,
                                   const std::vector<std::string>& operators, int most, std::uint64_t seed) {
  std::vector<Tried> chosen;
  std::set<store::Id> taken;
  const auto add = [&](std::vector<store::ProgramRow> rows, bool related) {
    for (auto& row : rows) {
      if (chosen.size() == static_cast<std::size_t>(most)) return;
      if (taken.insert(row.id).second) chosen.push_back({.program = std::move(row), .related = related});
    }
  };
  add(store.programs.consistent_calling(torch, device, operators, most), true);
  add(store.programs.consistent(torch, device, most, seed), false);
  return chosen;
}

}  // namespace parityd::agent
