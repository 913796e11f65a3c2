#include "agent/daemon/program/sweeper.h"

#include <algorithm>
#include <utility>

namespace parityd::agent {
namespace {

using oracle::Aspect;
using oracle::Kind;
using oracle::Mode;
using oracle::TriedVariant;
using oracle::VerdictKind;

/// If the fault is Inductor's, its modes tell more; for a stage before it only dynamic shapes matter.
std::vector<std::string> modes_for(oracle::Stage stage) {
  if (stage != oracle::Stage::inductor) return {};
  std::vector<std::string> modes;
  for (const auto& row : oracle::mode_rows()) {
    if (row.swept) modes.emplace_back(row.name);
  }
  return modes;
}

/// The first operator a neutraliser names: "lowering aten.amax".
std::string operator_in(const std::string& neutraliser) {
  const auto begin = neutraliser.find("aten.");
  return begin == std::string::npos ? "" : neutraliser.substr(begin, neutraliser.find_first_of(" ,;)", begin) - begin);
}

/// A verdict as an answer; nullopt for another kind or a program that does not run.
std::optional<bool> answer_of(const oracle::Verdict& verdict, Kind kind) {
  if (verdict.verdict == VerdictKind::inconsistent) return verdict.kind == kind ? std::optional(true) : std::nullopt;
  const bool healthy = verdict.verdict == VerdictKind::consistent || verdict.verdict == VerdictKind::excused;
  return healthy ? std::optional(false) : std::nullopt;
}

}  // namespace

Sweeper::Sweeper(Examiner& examiner, executor::Syntax& syntax, Subject subject, const oracle::Shown& shown)
    : examiner_(examiner),
      syntax_(syntax),
      subject_(std::move(subject)),
      kind_(shown.verdict.kind.value_or(Kind::numerical)),
      stage_(shown.stage) {}

void Sweeper::begin(const std::string& device, const std::vector<Elsewhere>& elsewhere,
                    const std::string& neutraliser) {
  on_cpu_ = device == "cpu";
  if (!elsewhere.empty()) tried_.push_back({.aspect = Aspect::devices, .value = device, .shows = true});
  for (const auto& other : elsewhere) {
    Subject subject = subject_;
    subject.group = other.group;
    wait_for({.aspect = Aspect::devices, .value = other.device, .shows = {}}, std::move(subject));
  }
  syntax_.variants(subject_.text, operator_in(neutraliser), modes_for(stage_),
                   [this, alive = std::weak_ptr(alive_)](const auto& variants) {
                     if (!alive.expired()) listed(variants ? *variants : std::vector<executor::ProgramVariant>{});
                   });
}

void Sweeper::listed(const std::vector<executor::ProgramVariant>& variants) {
  listed_ = true;
  for (const auto& variant : variants) {
    const auto aspect = oracle::from_name<oracle::Aspect>(variant.aspect);
    if (!aspect || (*aspect == Aspect::threads && !on_cpu_)) continue;
    TriedVariant tried{.aspect = *aspect, .value = variant.value, .shows = {}, .unit = variant.unit};
    if (!variant.program) {
      tried.shows = true;
      tried_.push_back(std::move(tried));
    } else if (waiting_.size() < kMostVariants) {
      Subject subject = subject_;
      subject.text = *variant.program;
      subject.options_json = variant.options_text;
      wait_for(std::move(tried), std::move(subject));
    }
  }
}

void Sweeper::wait_for(TriedVariant tried, Subject subject) {
  waiting_.push_back({.subject = std::move(subject), .place = tried_.size()});
  tried_.push_back(std::move(tried));
}

void Sweeper::send_trials(TrialRoom& room, executor::TimePoint now) {
  for (auto waiting = std::exchange(waiting_, {}); !waiting.empty(); waiting.pop_front()) {
    Variant variant = std::move(waiting.front());
    const executor::GroupIndex group = variant.subject.group;
    if (room.left(group) == 0) {
      waiting_.push_back(std::move(variant));
      continue;
    }
    room.reserve(group, 1);
    const Mode compiled = compiled_mode(variant.subject.options_json);
    const int number = next_number_++;
    ++runs_;
    examiner_.candidate(variant.subject, number,
                        variant.controls ? control_modes(kind_, compiled) : std::vector<Mode>{Mode::eager, compiled},
                        now);
    running_.emplace(number, std::move(variant));
  }
}

void Sweeper::on_result(const Examined& examined) {
  auto found = running_.extract(examined.round);
  if (found.empty()) return;
  seconds_ += examined.seconds;
  Variant variant = std::move(found.mapped());
  lost_workers_ += examined.trusted ? 0 : 1;
  if (lost_workers_ == kMostLostWorkers) waiting_.clear();
  if (!examined.harness_failure.empty()) return;
  const auto shows =
      answer_of(variant.controls ? oracle::judge(examined.evidence) : oracle::screen(examined.evidence), kind_);
  if (shows == true && !variant.controls && !oracle::fails(kind_)) {
    variant.controls = true;  // a difference is not necessarily a fault
    waiting_.push_front(std::move(variant));
    return;
  }
  tried_[variant.place].shows = shows;
}

}  // namespace parityd::agent
