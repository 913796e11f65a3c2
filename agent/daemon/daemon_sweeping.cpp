// What the daemon does around a confirmed finding: what else is wrong with its program, and how far the finding
// reaches.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "agent/daemon/daemon.h"

namespace parityd::agent {
namespace {

/// Which of the program's outputs the leaves belong to, "output[2][0]" to the third; empty where any of them is
/// something else.
std::set<int> outputs_of(const std::vector<std::string>& leaves) {
  constexpr std::string_view kOutput = "output[";
  std::set<int> outputs;
  for (const auto& leaf : leaves) {
    if (!leaf.starts_with(kOutput)) return {};
    int number = 0;
    const char* const end = leaf.data() + leaf.size();
    if (std::from_chars(leaf.data() + kOutput.size(), end, number).ec != std::errc()) return {};
    outputs.insert(number);
  }
  return outputs;
}

/// How many of the program's outputs both sides gave.
std::size_t outputs_compared(const oracle::Evidence& evidence) {
  std::set<int> outputs;
  const auto* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  for (const auto& leaf : measured != nullptr ? measured->leaves : std::vector<oracle::LeafMeasurement>{}) {
    outputs.merge(outputs_of({leaf.path}));
  }
  return outputs.size();
}

store::ExtentRow row_of(store::Id program, const Sweeper& sweeper, store::Millis now) {
  nlohmann::json tried = nlohmann::json::array();
  for (const auto& variant : sweeper.tried()) {
    tried.push_back({{"aspect", oracle::name(variant.aspect)},
                     {"value", variant.value},
                     {"unit", variant.unit},
                     {"shows", variant.shows ? nlohmann::json(*variant.shows) : nlohmann::json(nullptr)}});
  }
  return {.program = program,
          .sentence = oracle::extent(sweeper.tried()),
          .tried_json = tried.dump(),
          .runs = sweeper.runs(),
          .seconds = sweeper.seconds(),
          .at = now};
}

}  // namespace

std::vector<oracle::Neutraliser> Daemon::neutralisers_of(store::Id program) const {
  const auto attribution = parts_.store.reductions.attribution(program);
  return attribution
             ? oracle::neutralisers_from_line(attribution->neutraliser).value_or(std::vector<oracle::Neutraliser>{})
             : std::vector<oracle::Neutraliser>{};
}

/// The neutralisers of known findings that hold while it is screened; mostly none.
std::vector<oracle::Neutraliser> Daemon::stepped_over(const store::ProgramRow& program) {
  if (!may_be_stepped_over(program)) {
    return {};
  }
  if (std::exchange(step_over_stale_, false)) {
    step_over_.set_findings(parts_.store.findings.list({.limit = 0}));
  }
  const std::string device(name(parts_.pool.config(group_of(program.id)).device));
  return step_over_.choose(program.text, device, parts_.config.seed ^ static_cast<std::uint64_t>(program.id));
}

/// Leaves that stay go on. Each output that is still wrong becomes a program of its own; it has fewer
/// outputs, so this ends.
void Daemon::part(const store::ProgramRow& program, const std::set<int>& outputs) {
  for (const int output : outputs) {
    parts_.syntax.reduced(program.text, "[]", {fmt::format("output:{}", output)}, executor::UnreadLocals::go,
                          [this, program = program.id, options = program.options_json, output](const auto& text) {
                            const auto parting = partings_.find(program);
                            if (parting != partings_.end()) {
                              parting->second.left -= 1;
                              parting->second.looked.parts += text ? 1 : 0;
                            }
                            if (!text) return;  // its outputs are made in a way that cannot be taken apart
                            intake_.take({.text = text->program,
                                          .origin = std::string(kRest),
                                          .source = fmt::format("output {} of program {}", output, program),
                                          .default_options = options,
                                          .options_known = true});
                          });
  }
}

void Daemon::take_rest(const store::ProgramRow& program, const Examined& examined) {
  if (examined.verdict.verdict == oracle::VerdictKind::inconsistent) {
    part(program, outputs_of(examined.verdict.leaves));
  }
}

/// A program of one output has nothing to be parted from: it would be itself again.
void Daemon::take_beyond(const store::ProgramRow& program, const Examined& examined) {
  Parting parting{.program = program, .looked = {.verdict = examined.verdict, .trusted = examined.trusted}};
  std::set<int> outputs;
  const bool stays = examined.trusted && examined.verdict.verdict == oracle::VerdictKind::inconsistent;
  if (stays && outputs_compared(examined.evidence) > 1) {
    outputs = outputs_of(examined.verdict.leaves);
  }
  parting.left = outputs.size();
  active_[program.id] = program;
  partings_.insert_or_assign(program.id, std::move(parting));
  part(program, outputs);
}

void Daemon::take_parted() {
  for (auto entry = partings_.begin(); entry != partings_.end();) {
    if (entry->second.left > 0) {
      ++entry;
      continue;
    }
    Parting parting = std::move(entry->second);
    entry = partings_.erase(entry);
    active_.erase(parting.program.id);
    step(std::move(parting.program), parting.looked);
  }
}

void Daemon::begin_sweep(store::ProgramRow program) {
  const auto told = recorder_.told(program);
  const auto confirmed = recorder_.confirmed(program.id);
  if (confirmed.verdict.kind == oracle::Kind::hang) {  // each variant would take its deadline
    parts_.store.reductions.set_extent({.program = program.id, .at = wall_});
    return go_on(std::move(program));
  }
  const auto subject = confirmed_subject(program, told);
  const auto device_of = [this](executor::GroupIndex group) {
    return std::string(name(parts_.pool.config(group).device));
  };
  std::vector<Sweeper::Elsewhere> elsewhere;
  std::set<std::string> devices{device_of(subject.group)};
  for (executor::GroupIndex group = 0; group < parts_.pool.groups(); ++group) {
    if (devices.insert(device_of(group)).second) elsewhere.push_back({.group = group, .device = device_of(group)});
  }
  const store::Id id = program.id;
  sweepers_.erase(id);
  sweepers_.try_emplace(id, examiner_, parts_.syntax, subject, confirmed);
  const std::string neutraliser = parts_.store.reductions.attribution(id).value_or(store::AttributionRow{}).neutraliser;
  active_[id] = std::move(program);
  outbox_.push_back([this, id, device = device_of(subject.group), elsewhere, neutraliser] {
    if (const auto found = sweepers_.find(id); found != sweepers_.end()) {
      found->second.begin(device, elsewhere, neutraliser);
    }
  });
}

void Daemon::take_swept() {
  for (auto entry = sweepers_.begin(); entry != sweepers_.end();) {
    if (!entry->second.done()) {
      ++entry;
      continue;
    }
    const store::Id program = entry->first;
    parts_.store.reductions.set_extent(row_of(program, entry->second, wall_));
    reach(KillPoint::swept);
    entry = sweepers_.erase(entry);
    if (auto row = take_active(program)) {
      go_on(std::move(*row));
    }
  }
}

}  // namespace parityd::agent
