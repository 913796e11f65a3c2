#include "agent/fixing/likeness.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kShortestWord = 3;
/// A word is rare if at most one program of this many has it.
constexpr std::size_t kRare = 8;

std::set<std::string_view> words_of(std::string_view text) {
  std::set<std::string_view> words;
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, store::in_name);
    const auto end = std::find_if_not(begin, text.end(), store::in_name);
    const std::string_view word(begin, end);
    if (word.size() >= kShortestWord) words.insert(word);
    text = std::string_view(end, text.end());
  }
  return words;
}

}  // namespace

std::vector<std::size_t> likest(const std::string& program, const std::vector<std::string>& others, std::size_t most) {
  const auto own = words_of(program);
  std::vector<std::set<std::string_view>> shared(others.size());
  std::map<std::string_view, std::size_t> frequency;
  for (std::size_t at = 0; at < others.size(); ++at) {
    if (others[at] == program) continue;
    std::ranges::set_intersection(own, words_of(others[at]), std::inserter(shared[at], shared[at].end()));
    for (const auto word : shared[at]) ++frequency[word];
  }
  const std::size_t highest = std::max<std::size_t>(others.size() / kRare, 1);
  std::vector<std::pair<std::size_t, std::size_t>> scored;  // score, index
  for (std::size_t at = 0; at < others.size(); ++at) {
    const auto score = static_cast<std::size_t>(
        std::ranges::count_if(shared[at], [&](const auto word) { return frequency.at(word) <= highest; }));
    if (score > 0) scored.emplace_back(score, at);
  }
  std::ranges::stable_sort(scored, std::ranges::greater(), &std::pair<std::size_t, std::size_t>::first);
  std::vector<std::size_t> found;
  for (const auto& [score, at] : scored) {
    if (found.size() < most) found.push_back(at);
  }
  return found;
}

}  // namespace parityd::agent
