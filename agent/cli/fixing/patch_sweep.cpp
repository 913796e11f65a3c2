// The checks of a patch that go beyond the finding's own program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "agent/cli/fixing/patch_checks.h"
#include "agent/daemon/findings/finding_operators.h"
#include "agent/fixing/surroundings.h"
#include "agent/fixing/tool_answer.h"

namespace parityd::agent {
namespace {

using store::FixCheck;
using store::FixResult;

constexpr int kMostVariants = 40;
constexpr int kSamples = 60;
constexpr int kSampleSeconds = 120;
constexpr std::size_t kMostFailingSamples = 20;
constexpr std::string_view kPassed = "passed";

/// The object with which a tool answered. The error: it failed, or said why it cannot be run.
tl::expected<nlohmann::json, std::string> answer_in(const tl::expected<std::string, std::string>& text) {
  if (!text) return tl::unexpected(text.error());
  auto answer = answer_of_tool(*text);
  if (answer.empty()) return tl::unexpected(text->substr(0, text->find('\n', text->find('\n') + 1)));
  return answer;
}

}  // namespace

const std::vector<std::string>& PatchChecks::reached() {
  if (reached_) return *reached_;
  reached_.emplace();
  auto what = inspection_of(finding_, "callers");
  what.arguments = nlohmann::json{{"functions", function_arguments(functions_)}}.dump();
  const auto text = sides_.inspect_without(std::move(what));
  auto callers = read_callers(text.value_or(""));
  for (const std::string& function : functions_) {
    for (const std::string& name : callers[function].operators) {
      const std::string packet = packet_of(name);
      if (std::ranges::find(*reached_, packet) == reached_->end()) reached_->push_back(packet);
    }
  }
  return *reached_;
}

tl::expected<bool, std::string> PatchChecks::still_shows(const TriedCase& variant) {
  if (!variant.with || !variant.without) return false;
  if (why_not_there(case_.known, *variant.with) || why_not_there(case_.known, *variant.without)) return false;
  const auto cause = oracle::neutralisers_from_line(finding_.neutraliser);
  if (!cause || cause->empty()) return true;
  return sides_.right_without(variant.program, *cause);
}

PatchChecks::Checked PatchChecks::variants() {
  const auto called = std::ranges::find_if(operators_, [&](const std::string& name) {
    return finding_.reduced.find("." + name + "(") != std::string::npos;
  });
  auto tried = sides_.run(sides_.sweep(
      {.program = finding_.reduced,
       .operator_name = called == operators_.end() ? (operators_.empty() ? "" : operators_.front()) : *called,
       .siblings = reached(),
       .most = kMostVariants}));
  if (!tried) return tl::unexpected(tried.error());
  FixCheck check{.name = "variants", .told = {}, .failing = {}, .program = {}};
  std::vector<const TriedCase*> broken, showing;
  for (const TriedCase& each : *tried) {
    if (each.consistent()) right_.push_back(each.program);
    check.ran += each.consistent() || (each.without && each.without->verdict.verdict != oracle::VerdictKind::invalid);
    if (each.broken()) broken.push_back(&each);
    const auto shows = still_shows(each);
    if (!shows) return tl::unexpected(shows.error());
    if (*shows) showing.push_back(&each);
  }
  const auto& failed = broken.empty() ? showing : broken;
  check.failed = static_cast<std::int64_t>(failed.size());
  check.result = !broken.empty() ? FixResult::breaks : !showing.empty() ? FixResult::incomplete : FixResult::accepted;
  check.told = fmt::format("{} of {} variants that were right are wrong now, {} still show the finding", broken.size(),
                           check.ran, showing.size());
  for (const TriedCase* each : failed) check.failing.push_back(each->program.name);
  if (!failed.empty()) {
    const TriedCase& first = *failed.front();
    check.told += fmt::format("; {}: {}", first.program.name, first.with->verdict.explanation);
    check.program = first.program.text;
  }
  return check;
}

PatchChecks::Checked PatchChecks::samples() {
  FixCheck check{.name = "samples", .told = {}, .failing = {}, .program = {}};
  std::vector<std::string> operators = operators_;
  std::ranges::copy_if(reached(), std::back_inserter(operators), [&](const std::string& name) {
    return std::ranges::find(operators_, name) == operators_.end();
  });
  auto what = inspection_of(finding_, "opinfo");
  what.arguments = nlohmann::json{{"operators", operators}, {"samples", kSamples}, {"seconds", kSampleSeconds}}.dump();
  const auto texts = sides_.inspect(what);
  if (!texts) return tl::unexpected(texts.error());
  const auto with = answer_in(texts->with), without = answer_in(texts->without);
  if (!with || !without) {
    check.result = FixResult::unknown;
    check.told = "torch's samples could not be run: " + (with ? without.error() : with.error());
    return check;
  }
  const auto before = without->value("samples", nlohmann::json::object()),
             after = with->value("samples", nlohmann::json::object());
  std::string first;
  for (const auto& [name, result] : before.items()) {
    if (result != kPassed || !after.contains(name)) continue;
    ++check.ran;
    const auto now = after.at(name).get<std::string>();
    if (now == kPassed) continue;
    if (check.failed++ == 0) first = fmt::format("; {}: {}", name, now);
    if (check.failing.size() < kMostFailingSamples) check.failing.push_back(name);
  }
  check.result = check.failed == 0 ? FixResult::accepted : FixResult::breaks;
  check.told = fmt::format("{} of {} samples of {} operators that passed fail now{}", check.failed, check.ran,
                           operators.size(), first);
  return check;
}

}  // namespace parityd::agent
