#include "agent/daemon/suspects.h"

#include <algorithm>

namespace parityd::agent {

std::optional<store::Id> Suspects::take() {
  const auto begun = [&](const auto& entry) {
    const auto found = begun_.find(entry.second);
    return found == begun_.end() ? 0 : found->second;
  };
  const auto next = std::min_element(waiting_.begin(), waiting_.end(),
                                     [&](const auto& one, const auto& other) { return begun(one) < begun(other); });
  if (next == waiting_.end()) {
    return std::nullopt;
  }
  const store::Id program = next->first;
  ++begun_[next->second];
  waiting_.erase(next);
  in_gate_.insert(program);
  return program;
}

void Suspects::left(store::Id program) {
  waiting_.erase(program);
  in_gate_.erase(program);
}

}  // namespace parityd::agent
