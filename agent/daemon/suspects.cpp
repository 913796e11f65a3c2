#include "agent/daemon/suspects.h"

#include <algorithm>

namespace parityd::agent {

std::optional<store::Id> Suspects::take() {
  auto next = waiting_.end();
  int fewest = 0;
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    const bool busy =
        std::any_of(in_gate_.begin(), in_gate_.end(), [&](const auto& other) { return other.second == entry->second; });
    const auto found = begun_.find(entry->second);
    const int begun = found == begun_.end() ? 0 : found->second;
    if (!busy && (next == waiting_.end() || begun < fewest)) {
      next = entry;
      fewest = begun;
    }
  }
  if (next == waiting_.end()) {
    return std::nullopt;
  }
  const store::Id program = next->first;
  ++begun_[next->second];
  in_gate_.insert(*next);
  waiting_.erase(next);
  return program;
}

std::optional<store::Id> Suspects::take_excess() {
  if (waiting_.size() <= limit_) {
    return std::nullopt;
  }
  std::map<std::string, int> alike;
  for (const auto& [program, signature] : waiting_) ++alike[signature];
  auto excess = waiting_.begin();
  for (auto entry = waiting_.begin(); entry != waiting_.end(); ++entry) {
    if (alike[entry->second] >= alike[excess->second]) {
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
