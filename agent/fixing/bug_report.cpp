#include "agent/fixing/bug_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace parityd::agent {
namespace {

/// Paragraphs that are left out, by their beginnings.
constexpr std::array<std::string_view, 6> kLeftOut{"_Seen with torch", "**What I checked", "> _",
                                                   "**Trace log**",    "**Blamed**",       "**Extent**"};
/// A list follows it.
constexpr std::string_view kDuplicates = "**Possible duplicates**";
/// A table follows them.
constexpr std::array<std::string_view, 2> kTried{"Other changes that were tried", "Changes that were tried"};

bool begins_with_one(std::string_view text, const auto& with) {
  return std::ranges::any_of(with, [&](std::string_view start) { return text.starts_with(start); });
}

/// Its paragraphs, with the line breaks inside them; a fenced block is one.
std::vector<std::string> paragraphs(std::string_view text) {
  std::vector<std::string> found(1);
  bool in_fence = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const bool fence = line.starts_with("```");
    const bool ends_fence = fence && in_fence;
    if (!found.back().empty() && !in_fence && (fence || line.empty())) found.emplace_back();
    if (fence) in_fence = !in_fence;
    if (in_fence || !line.empty()) found.back() += std::string(line) + "\n";
    if (ends_fence) found.emplace_back();
  }
  if (found.back().empty()) found.pop_back();
  return found;
}

}  // namespace

std::string bug_report(std::string_view draft) {
  std::string text;
  bool in_section = false, in_details = false;
  int following = 0;  // paragraphs that are kept whatever they are, or left out if negative
  for (const std::string& each : paragraphs(draft)) {
    if (each.starts_with("### Versions")) break;
    if (each.starts_with("#")) in_section = each.starts_with("#### ");
    if (each.starts_with("<details>")) in_details = true;
    const bool tried = in_details && begins_with_one(each, kTried);
    const bool left_out = in_section || begins_with_one(each, kLeftOut) || each.starts_with(kDuplicates) ||
                          (in_details && !tried) || following < 0;
    if (following > 0 || !left_out) text += (text.empty() ? "" : "\n") + each;
    following = tried ? 1 : each.starts_with(kDuplicates) ? -1 : 0;
    if (each.starts_with("</details>")) in_details = false;
  }
  return text;
}

}  // namespace parityd::agent
