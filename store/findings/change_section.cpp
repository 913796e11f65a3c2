#include "store/findings/change_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "oracle/device.h"
#include "store/base/text.h"

namespace parityd::store {
namespace {

constexpr std::string_view kNextHeading = "### Error logs";
constexpr std::size_t kMostPlaces = 4;
constexpr std::size_t kNewestLimit = 600;  // characters
/// Checks whose numbers a maintainer asks for, in this order.
constexpr std::array<std::string_view, 3> kCounted{"samples", "variants", "programs"};

std::int64_t number_run(const FixTry& change, std::string_view check) {
  std::int64_t ran = 0;
  for (const FixCheck& each : change.checks) ran += each.name == check ? each.ran : 0;
  return ran;
}

/// "`torch/_inductor/lowering.py:cat`, `…:stack` and 3 more places".
std::string changed_places(const FixTry& change) {
  std::vector<std::string> codes;
  for (const auto& function : change.functions) codes.push_back(inline_code(function));
  for (const auto& file : change.files) {
    if (change.functions.empty()) codes.push_back(inline_code(file.path));
  }
  const std::size_t more = codes.size() - std::min(codes.size(), kMostPlaces);
  codes.resize(codes.size() - more);
  return fmt::format("{}{}", fmt::join(codes, ", "), more == 0 ? "" : fmt::format(" and {} more places", more));
}

std::string sentences(const FixTry& change) {
  std::vector<std::string> run, not_run;
  for (const auto check : kCounted) {
    const std::int64_t ran = number_run(change, check);
    if (ran > 0) run.push_back(fmt::format("{} {}", ran, ran == 1 ? check.substr(0, check.size() - 1) : check));
    if (ran == 0) not_run.emplace_back(check);
  }
  const auto& device = row(oracle::device_named(change.device));
  for (const auto& other : oracle::kDeviceRows) {
    if (other.name != device.name) not_run.emplace_back(other.words);
  }
  const std::string counts =
      run.empty() ? "its own program only" : fmt::format("{}, none newly wrong", fmt::join(run, ", "));
  std::string text =
      fmt::format("A change of {} line{} in {} makes it vanish. {}; torch {}, {}: {}; not run: {}.",
                  change.changed_lines, change.changed_lines == 1 ? "" : "s", changed_places(change), kChangeAuthor,
                  inline_code(change.torch), device.words, counts, fmt::join(not_run, ", "));
  const std::string newest = prose(shortened(clean_line(change.newest), kNewestLimit));
  if (!newest.empty()) text += fmt::format(" {}{}", newest, newest.ends_with('.') ? "" : ".");
  return text + "\n";
}

/// As much of diff and test as `room` characters hold.
std::string details(const FixTry& change, std::size_t room) {
  const std::string diff = fenced(change.diff, "diff");
  const std::string test =
      change.test.empty()
          ? ""
          : "\nThe regression test fails without the change and passes with it:\n\n" + fenced(change.test, "python");
  const auto collapsed = [](std::string_view title, const std::string& text) {
    return fmt::format("\n<details>\n<summary>AI-assisted: {}</summary>\n\n{}</details>\n", title, text);
  };
  std::string whole = collapsed(test.empty() ? "the change" : "the change and its regression test", diff + test);
  if (characters(whole) <= room) return whole;
  std::string part = collapsed("the change", diff) + "\nLeft out because of the length limit: its regression test.\n";
  if (!test.empty() && characters(part) <= room) return part;
  const std::string none = "\nLeft out because of the length limit: the change itself.\n";
  return characters(none) <= room ? none : "";
}

}  // namespace

std::string with_change_section(std::string body, const FixTry& change, std::size_t limit) {
  std::string section = fmt::format("{}\n\n{}", kChangeHeading, sentences(change));
  const std::size_t used = characters(body) + characters(section) + 1;
  section += details(change, limit - std::min(limit, used));
  const auto lines = lines_outside_fences(body);
  const auto next = std::ranges::find(lines, kNextHeading, &Line::text);
  if (next == lines.end()) return body + "\n" + section;
  return body.insert(next->at, section + "\n");
}

}  // namespace parityd::store
