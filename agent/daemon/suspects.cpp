#include "agent/daemon/suspects.h"

#include <algorithm>

namespace parityd::agent {

int Suspects::in_gate(executor::GroupIndex group) const {
  return static_cast<int>(
      std::ranges::count_if(in_gate_, [&](const auto& entry) { return entry.second.group == group; }));
}

std::optional<store::Id> Suspects::take(executor::GroupIndex group) {
  auto next = waiting_.end();
  int fewest = 0;
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    const std::string& signature = entry->second.signature;
    const bool busy = std::any_of(in_gate_.begin(), in_gate_.end(),
                                  [&](const auto& other) { return other.second.signature == signature; });
    const auto found = begun_.find(signature);
    const int begun = found == begun_.end() ? 0 : found->second;
    if (entry->second.group == group && !busy && (next == waiting_.end() || begun < fewest)) {
      next = entry;
      fewest = begun;
    }
  }
  if (next == waiting_.end()) {
    return std::nullopt;
  }
  const store::Id program = next->first;
  ++begun_[next->second.signature];
  in_gate_.insert(*next);
  waiting_.erase(next);
  return program;
}

std::optional<store::Id> Suspects::take_excess() {
  if (waiting_.size() <= limit_) {
    return std::nullopt;
  }
  std::map<std::string, int> alike;
  for (const auto& [program, suspect] : waiting_) ++alike[suspect.signature];
  auto excess = waiting_.begin();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    if (alike[entry->second.signature] >= alike[excess->second.signature]) {
      excess = entry;
    }
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
