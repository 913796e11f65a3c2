#include "agent/daemon/program/suspects.h"

#include <algorithm>

namespace parityd::agent {

SeenOn seen_on(const store::Store& store, store::Id program) {
  const auto row = store.environments.seen_on(program).value_or(store::EnvironmentRow{});
  return {.torch = row.torch, .python = row.python, .device = row.device, .device_name = row.device_name};
}

int Suspects::in_gate(executor::GroupIndex group) const {
  return static_cast<int>(
      std::ranges::count_if(in_gate_, [&](const auto& entry) { return entry.second.group == group; }));
}

bool Suspects::is_being_confirmed(const std::string& signature) const {
  return std::ranges::any_of(in_gate_, [&](const auto& other) { return other.second.signature == signature; });
}

int Suspects::begun(const std::string& signature) const {
  const auto found = begun_.find(signature);
  return found == begun_.end() ? 0 : found->second;
}

std::optional<Suspects::Taken> Suspects::take(executor::GroupIndex group,
                                              const std::function<bool(const SeenOn&)>& confirms) {
  std::map<SeenOn, bool> confirmed_here;
  const auto may = [&](const Suspect& suspect) {
    auto known = confirmed_here.find(suspect.seen_on);
    if (known == confirmed_here.end()) known = confirmed_here.emplace(suspect.seen_on, confirms(suspect.seen_on)).first;
    return known->second && !is_being_confirmed(suspect.signature);
  };
  const auto place = [&](const Suspect& suspect) { return std::pair(!suspect.begun, begun(suspect.signature)); };
  auto next = waiting_.end();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    if (may(entry->second) && (next == waiting_.end() || place(entry->second) < place(next->second))) next = entry;
  }
  if (next == waiting_.end()) return std::nullopt;
  const Taken taken{.program = next->first, .begun = next->second.begun};
  ++begun_[next->second.signature];
  next->second.group = group;
  in_gate_.insert(waiting_.extract(next));
  return taken;
}

std::optional<store::Id> Suspects::take_excess() {
  if (waiting_.size() <= limit_) return std::nullopt;
  std::map<std::string, int> alike;
  for (const auto& [program, suspect] : waiting_) ++alike[suspect.signature];
  auto excess = waiting_.begin();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    const int more = alike[entry->second.signature] - alike[excess->second.signature];
    if (excess->second.begun || (!entry->second.begun && more >= 0)) excess = entry;
  }
  const store::Id program = excess->first;
  waiting_.erase(excess);
  return program;
}

void Suspects::left(store::Id program) {
  waiting_.erase(program);
  in_gate_.erase(program);
}

}  // namespace parityd::agent
