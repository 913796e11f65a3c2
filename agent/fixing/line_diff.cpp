#include "agent/fixing/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace parityd::agent {
namespace {

constexpr std::size_t kContext = 3;
/// The farthest reaching points of all steps are kept: the square of this many numbers, 16 MB.
constexpr int kMostSteps = 2000;

/// The greedy algorithm of Myers (1986). `reached[d][k + d]`: how far the path with d changes comes on diagonal k.
class Myers {
 public:
  Myers(std::vector<int> before, std::vector<int> after) : before_(std::move(before)), after_(std::move(after)) {}

  /// Pairs of equal lines, last first. Empty also if there are too many changes.
  std::vector<std::pair<int, int>> matches() {
    const int steps = shortest();
    std::vector<std::pair<int, int>> found;
    if (steps < 0) return found;
    int x = size(before_);
    int y = size(after_);
    for (int d = steps; d >= 0; --d) {
      const int k = x - y;
      const int from = d == 0 ? 0 : begin(d, k).first;
      const int down_to = d == 0 ? 0 : begin(d, k).second;
      while (x > from && y > down_to) found.emplace_back(--x, --y);
      if (d == 0) break;
      const int back = came_down(d, k) ? k + 1 : k - 1;
      x = at(d - 1, back);
      y = x - back;
    }
    return found;
  }

 private:
  static int size(const std::vector<int>& lines) { return static_cast<int>(lines.size()); }
  static std::size_t index(int d, int k) {
    const int place = k + d;
    return static_cast<std::size_t>(place);
  }
  [[nodiscard]] int at(int d, int k) const { return reached_[static_cast<std::size_t>(d)][index(d, k)]; }
  [[nodiscard]] bool came_down(int d, int k) const {
    return k == -d || (k != d && at(d - 1, k - 1) < at(d - 1, k + 1));
  }
  /// Where the path of step d begins on diagonal k, after its one change.
  [[nodiscard]] std::pair<int, int> begin(int d, int k) const {
    const int x = came_down(d, k) ? at(d - 1, k + 1) : at(d - 1, k - 1) + 1;
    return {x, x - k};
  }

  /// The number of changes; -1: too many.
  int shortest() {
    for (int d = 0; d <= kMostSteps; ++d) {
      reached_.emplace_back(2 * static_cast<std::size_t>(d) + 1);
      for (int k = -d; k <= d; k += 2) {
        auto [x, y] = d == 0 ? std::pair(0, 0) : begin(d, k);
        while (x < size(before_) && y < size(after_) && y >= 0 &&
               before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)]) {
          ++x;
          ++y;
        }
        reached_.back()[index(d, k)] = x;
        if (x >= size(before_) && y >= size(after_)) return d;
      }
    }
    return -1;
  }

  std::vector<int> before_, after_;
  std::vector<std::vector<int>> reached_;
};

std::string range(std::size_t begin, std::size_t count) {
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

void append_line(std::string& diff, char sign, std::string_view line) {
  diff += sign;
  diff += line;
  if (!line.ends_with('\n')) diff += "\n\\ No newline at end of file\n";
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

std::vector<Hunk> line_diff(const std::vector<std::string_view>& before, const std::vector<std::string_view>& after) {
  const auto shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) ++tail;

  std::unordered_map<std::string_view, int> numbers;
  const auto numbered = [&](const std::vector<std::string_view>& lines) {
    std::vector<int> found;
    for (std::size_t at = head; at < lines.size() - tail; ++at) {
      found.push_back(numbers.emplace(lines[at], static_cast<int>(numbers.size())).first->second);
    }
    return found;
  };
  auto matches = Myers(numbered(before), numbered(after)).matches();
  std::ranges::reverse(matches);
  matches.emplace_back(static_cast<int>(before.size() - tail - head), static_cast<int>(after.size() - tail - head));

  std::vector<Hunk> hunks;
  Hunk hunk{.before = head, .after = head};
  for (const auto& [x, y] : matches) {
    hunk.before_count = head + static_cast<std::size_t>(x) - hunk.before;
    hunk.after_count = head + static_cast<std::size_t>(y) - hunk.after;
    if (hunk.before_count + hunk.after_count > 0) hunks.push_back(hunk);
    hunk = {.before = head + static_cast<std::size_t>(x) + 1, .after = head + static_cast<std::size_t>(y) + 1};
  }
  return hunks;
}

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  const auto old_lines = lines_of(before);
  const auto new_lines = lines_of(after);
  const auto hunks = line_diff(old_lines, new_lines);
  if (hunks.empty()) return "";
  std::string diff = fmt::format("--- a/{0}\n+++ b/{0}\n", path);
  for (auto first = hunks.begin(); first != hunks.end();) {
    auto last = first;  // of those whose context meets
    while (std::next(last) != hunks.end() &&
           std::next(last)->before - (last->before + last->before_count) <= 2 * kContext) {
      ++last;
    }
    const std::size_t lead = std::min(kContext, first->before);
    const std::size_t begin = first->before - lead;
    const std::size_t end = std::min(old_lines.size(), last->before + last->before_count + kContext);
    const std::size_t new_begin = first->after - lead;
    const std::size_t new_end = last->after + last->after_count + (end - last->before - last->before_count);
    diff += fmt::format("@@ -{} +{} @@\n", range(begin, end - begin), range(new_begin, new_end - new_begin));
    std::size_t at = begin;
    for (; first != std::next(last); ++first) {
      for (; at < first->before; ++at) append_line(diff, ' ', old_lines[at]);
      for (; at < first->before + first->before_count; ++at) append_line(diff, '-', old_lines[at]);
      for (std::size_t n = 0; n < first->after_count; ++n) append_line(diff, '+', new_lines[first->after + n]);
    }
    for (; at < end; ++at) append_line(diff, ' ', old_lines[at]);
  }
  return diff;
}

}  // namespace parityd::agent
