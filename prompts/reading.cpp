#include "prompts/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>

#include "prompts/text.h"

namespace parityd::prompts {
namespace {

/// Limits in bytes: per function, for all functions, for all promises, per hypothesis; and the number of hypotheses
/// listed.
struct ReadingCaps {
  std::size_t unit, chapter, promises, hypothesis, tried;
};
constexpr ReadingCaps kWholeChapter{.unit = std::size_t{48} * 1024,
                                    .chapter = std::numeric_limits<std::size_t>::max(),
                                    .promises = std::size_t{8} * 1024,
                                    .hypothesis = 300,
                                    .tried = 24};
/// About 4,000 tokens together with the contract: for a window of 8,192.
constexpr ReadingCaps kTrimmedChapter{
    .unit = 1500, .chapter = std::size_t{6} * 1024, .promises = 512, .hypothesis = 120, .tried = 6};

/// As many shortened units as fit, at least one.
std::vector<SourceText> as_many(const std::vector<SourceText>& units, const ReadingCaps& caps) {
  std::size_t bytes = 0;
  const auto fits = [&](const SourceText& unit) {
    bytes += std::min(unit.text.size() + unit.before.size(), caps.unit);
    return bytes <= caps.chapter;
  };
  auto end = std::ranges::find_if_not(units, fits);
  if (end == units.begin() && !units.empty()) ++end;
  return {units.begin(), end};
}

std::string promised(const std::vector<std::string>& promises, std::size_t cap) {
  std::string all;
  for (const std::string& promise : promises) {
    if (all.size() + promise.size() <= cap) all += (all.empty() ? "" : "\n\n") + plain(promise, promise.size());
  }
  const std::string fence = fence_for(all);
  return all.empty() ? "" : fmt::format("{}\n{}\n{}", fence, all, fence);
}

std::string trials(const std::vector<TriedHypothesis>& tried, const ReadingCaps& caps) {
  std::string all;
  for (std::size_t at = 0; at < std::min(tried.size(), caps.tried); ++at) {
    all += fmt::format("{}- {}: {}", at == 0 ? "" : "\n", one_line(tried[at].outcome, caps.hypothesis),
                       one_line(tried[at].text, caps.hypothesis));
  }
  return all;
}

/// "_inductor/lowering.py (lowerings), then helpers that it calls".
std::string told(const ReadingFacts& facts) {
  const std::string file = facts.units.empty() ? "nothing" : facts.units.front().file;
  return fmt::format("torch/{} ({}){}", file, facts.area,
                     facts.helpers.empty() ? "" : ", then helpers that stand elsewhere and that it calls");
}

constexpr std::size_t kHypothesis = 300, kDetail = 600, kSeen = 3000;  // bytes

std::string told(const std::vector<ToldOutcome>& outcomes, Quoting quoting) {
  std::string all;
  for (const ToldOutcome& each : outcomes) {
    all += fmt::format("{}{}. {}\n   -> {}", all.empty() ? "" : "\n", each.place,
                       one_line(each.hypothesis, kHypothesis), one_line(each.words, kHypothesis));
    if (quoting == Quoting::trimmed) continue;
    for (const std::string& detail : each.details) all += "\n      " + one_line(detail, kDetail);
    if (!each.seen.empty()) all += "\n" + plain(each.seen, kSeen);
  }
  const std::string fence = fence_for(all);
  return fmt::format("{}\n{}\n{}", fence, all, fence);
}

}  // namespace

std::size_t units_when_trimmed(const ReadingFacts& facts) { return as_many(facts.units, kTrimmedChapter).size(); }

std::string render_reading(const Strategy& strategy, const ReadingFacts& facts, Quoting quoting) {
  const ReadingCaps& caps = quoting == Quoting::whole ? kWholeChapter : kTrimmedChapter;
  const auto units = as_many(facts.units, caps);
  std::string chapter = strategy.reads == Reads::change ? compared(units, caps.unit) : numbered(units, caps.unit);
  if (!facts.helpers.empty() && quoting == Quoting::whole) {
    chapter += "\n\nHelpers:\n\n" + numbered(facts.helpers, caps.unit);
  }
  const std::string promises = promised(facts.promises, caps.promises);
  kainjow::mustache::data data;
  data.set("torch", facts.torch);
  data.set("before", facts.torch_before);
  data.set("what", told(facts));
  data.set("chapter", chapter);
  data.set("promised", shown(!promises.empty()));
  data.set("promises", promises);
  const auto known = std::span(facts.known).first(std::min(facts.known.size(), caps.tried));
  data.set("known", fmt::format("- {}", fmt::join(known, "\n- ")));
  data.set("tried", shown(!facts.tried.empty()));
  data.set("trials", trials(facts.tried, caps));
  data.set("programs", std::to_string(kProgramsOfReading));
  data.set("checks", std::to_string(kChecksOfReading));
  return without_gaps(fill(strategy.text, data));
}

std::string render_outcomes(const Strategy& strategy, const OutcomeFacts& facts, Quoting quoting) {
  const auto any = [&](Came came) {
    return shown(std::ranges::any_of(facts.outcomes, [&](const auto& each) { return each.came == came; }));
  };
  kainjow::mustache::data data;
  data.set("torch", facts.torch);
  data.set("outcomes", told(facts.outcomes, quoting));
  data.set("shown", any(Came::shown));
  data.set("agreed", any(Came::agreed));
  data.set("failed", any(Came::failed));
  data.set("programs", std::to_string(kProgramsOfReading));
  data.set("checks", std::to_string(kChecksOfReading));
  return without_gaps(fill(strategy.text, data));
}

}  // namespace parityd::prompts
