#include "agent/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace parityd::agent {
namespace {

using Row = std::vector<std::size_t>;

/// Number of letters to change, add, remove or swap with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
  Row before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::move(row);
    row = next;
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& each : known) {
    const std::size_t wrong = distance(word, each);
    if (wrong < least && wrong < each.size()) {
      least = wrong;
      best = &each;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace parityd::agent
