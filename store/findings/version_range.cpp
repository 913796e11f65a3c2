#include "store/findings/version_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace parityd::store {
namespace {

struct Older {
  bool operator()(const std::string& left, const std::string& right) const {
    return std::is_lt(compare_torch(left, right));
  }
};

std::string_view words(RecheckResult result) {
  if (result == RecheckResult::still) return "shows it";
  return result == RecheckResult::gone ? "does not show it" : "shows something else";
}

/// Release, stage (development, alpha, beta, candidate, release), number within the stage.
using Key = std::array<long, 6>;
constexpr long kRelease = 4;
constexpr int kMostDigits = 12;

long take_number(std::string_view& text) {
  long number = 0;
  for (int digits = 0; !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
       text.remove_prefix(1)) {
    number = digits++ < kMostDigits ? number * 10 + (text.front() - '0') : number;
  }
  return number;
}

bool is_digit_after_dot(std::string_view text) {
  return text.size() > 1 && text.front() == '.' && std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

Key key_of(std::string_view text) {
  text = text.substr(0, text.find('+'));
  Key key{0, 0, 0, 0, kRelease, 0};
  key[0] = take_number(text);
  for (std::size_t part = 1; is_digit_after_dot(text); ++part) {
    text.remove_prefix(1);
    const long number = take_number(text);
    if (part < 4) key.at(part) = number;
  }
  if (!text.empty() && text.front() == '.') text.remove_prefix(1);
  constexpr std::array<std::string_view, 4> kStages{"dev", "a", "b", "rc"};
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    if (!text.starts_with(kStages.at(stage))) continue;
    text.remove_prefix(kStages.at(stage).size());
    key[4] = static_cast<long>(stage);
    key[5] = take_number(text);
    break;
  }
  return key;
}

}  // namespace

std::vector<TriedTorch> torches_tried(const FindingRow& finding, const std::vector<RecheckRow>& rechecks) {
  std::map<std::string, RecheckResult, Older> last{{finding.torch, RecheckResult::still}};
  if (!finding.consistent_on.empty()) last.emplace(finding.consistent_on, RecheckResult::gone);
  for (const RecheckRow& row : rechecks) {
    if (row.result != RecheckResult::cannot && !row.elsewhere) last.insert_or_assign(row.torch, row.result);
  }
  std::vector<TriedTorch> tried;
  tried.reserve(last.size());
  for (auto& [torch, result] : last) tried.push_back({torch, result});
  return tried;
}

std::string devices_text(const std::vector<RecheckRow>& rechecks) {
  std::map<std::pair<std::string, std::string>, RecheckResult> last;
  for (const RecheckRow& row : rechecks) {
    if (row.result == RecheckResult::cannot || !row.elsewhere) continue;
    last.insert_or_assign({row.device_name.empty() ? row.device : row.device_name, row.torch}, row.result);
  }
  std::string text;
  for (const auto& [where, result] : last) {
    text += fmt::format("{}{} (torch {}) {}", text.empty() ? "" : ", ", where.first, where.second, words(result));
  }
  return text;
}

VersionRange version_range(const FindingRow& finding, const std::vector<TriedTorch>& tried) {
  VersionRange range;
  const auto own = std::find_if(tried.begin(), tried.end(), [&](const TriedTorch& each) {
    return std::is_eq(compare_torch(each.torch, finding.torch));
  });
  if (own == tried.end()) return range;
  for (auto older = std::make_reverse_iterator(std::next(own)); older != tried.rend(); ++older) {
    if (older->result == RecheckResult::gone) {
      range.last_good = older->torch;
      break;
    }
    if (older->result == RecheckResult::still) range.first_bad = older->torch;
  }
  for (auto newer = tried.end(); newer != std::next(own) && std::prev(newer)->result == RecheckResult::gone; --newer) {
    range.first_fixed = std::prev(newer)->torch;
  }
  return range;
}

std::string torches_text(const std::vector<TriedTorch>& tried) {
  std::string text;
  for (const TriedTorch& each : tried) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", each.torch, words(each.result));
  }
  return text;
}

std::string range_text(const FindingRow& finding, const std::vector<TriedTorch>& tried) {
  if (tried.size() < 2) return {};
  const VersionRange range = version_range(finding, tried);
  std::string text;
  if (range.first_bad.empty()) {
    text = fmt::format("no longer shown on {} itself", finding.torch);
  } else if (!range.last_good.empty()) {
    text = fmt::format("consistent on {}, inconsistent on {}", range.last_good, range.first_bad);
  } else {
    text = fmt::format("shown since {}{}", range.first_bad,
                       std::is_eq(compare_torch(tried.front().torch, range.first_bad)) ? ", the oldest tried" : "");
  }
  if (!range.first_fixed.empty()) text += fmt::format(", no longer shown from {} on", range.first_fixed);
  return text;
}

std::strong_ordering compare_torch(std::string_view left, std::string_view right) {
  const Key first = key_of(left), second = key_of(right);
  for (std::size_t part = 0; part < first.size(); ++part) {
    if (first.at(part) != second.at(part)) return first.at(part) <=> second.at(part);
  }
  return std::strong_ordering::equal;
}

}  // namespace parityd::store
