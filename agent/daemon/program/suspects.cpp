#include "agent/daemon/program/suspects.h"

#include <algorithm>
#include <set>

namespace parityd::agent {

SeenOn seen_on(const store::Store& store, store::Id program) {
  const auto row = store.environments.seen_on(program).value_or(store::EnvironmentRow{});
  return {.torch = row.torch, .python = row.python, .device = row.device, .device_name = row.device_name};
}

int Suspects::confirming(executor::GroupIndex group, Place place) const {
  return static_cast<int>(std::ranges::count_if(
      confirming_, [&](const auto& entry) { return entry.second.group == group && entry.second.place == place; }));
}

bool Suspects::is_being_confirmed(const std::string& signature) const {
  return std::ranges::any_of(confirming_, [&](const auto& other) { return other.second.signature == signature; });
}

int Suspects::begun(const std::string& signature) const {
  const auto found = begun_.find(signature);
  return found == begun_.end() ? 0 : found->second;
}

store::Id Suspects::enter(Entry waiting, executor::GroupIndex group, Place place) {
  const store::Id program = waiting->first;
  ++begun_[waiting->second.signature];
  waiting->second.group = group;
  waiting->second.place = place;
  confirming_.insert(waiting_.extract(waiting));
  return program;
}

std::optional<store::Id> Suspects::pop(executor::GroupIndex group, const Confirms& confirms) {
  std::map<SeenOn, bool> confirmed_here;
  std::set<std::string> waiting_shown;  // confirmed before a restart
  for (const auto& [program, suspect] : waiting_) {
    if (suspect.place == Place::shown) waiting_shown.insert(suspect.signature);
  }
  const auto may = [&](const Suspect& suspect) {
    if (suspect.place != Place::first) return false;
    auto known = confirmed_here.find(suspect.seen_on);
    if (known == confirmed_here.end()) known = confirmed_here.emplace(suspect.seen_on, confirms(suspect.seen_on)).first;
    return known->second && !is_being_confirmed(suspect.signature) && !waiting_shown.contains(suspect.signature);
  };
  auto next = waiting_.end();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    const bool sooner = next == waiting_.end() || begun(entry->second.signature) < begun(next->second.signature);
    if (sooner && may(entry->second)) next = entry;
  }
  if (next == waiting_.end()) return std::nullopt;
  return enter(next, group, Place::first);
}

std::optional<store::Id> Suspects::take_shown(executor::GroupIndex group, const Confirms& confirms) {
  const auto left_there = std::ranges::find_if(waiting_, [&](const auto& entry) {
    const Suspect& suspect = entry.second;
    return suspect.place == Place::shown && confirms(suspect.seen_on) && !is_being_confirmed(suspect.signature);
  });
  if (left_there != waiting_.end()) return enter(left_there, group, Place::reducing);
  const auto oldest = std::ranges::find_if(confirming_, [&](const auto& entry) {
    return entry.second.place == Place::shown && confirms(entry.second.seen_on);
  });
  if (oldest == confirming_.end()) return std::nullopt;
  oldest->second.place = Place::reducing;
  oldest->second.group = group;
  return oldest->first;
}

std::optional<store::Id> Suspects::take_excess() {
  if (waiting_.size() <= limit_) return std::nullopt;
  std::map<std::string, int> alike;
  for (const auto& [program, suspect] : waiting_) ++alike[suspect.signature];
  auto excess = waiting_.begin();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    const int more = alike[entry->second.signature] - alike[excess->second.signature];
    if (excess->second.place == Place::shown || (entry->second.place == Place::first && more >= 0)) excess = entry;
  }
  const store::Id program = excess->first;
  waiting_.erase(excess);
  return program;
}

void Suspects::left(store::Id program) {
  waiting_.erase(program);
  confirming_.erase(program);
}

}  // namespace parityd::agent
