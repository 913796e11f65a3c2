#include "prompts/outcomes.h"

#include <fmt/format.h>

#include <algorithm>

#include "prompts/reading.h"
#include "prompts/text.h"

namespace parityd::prompts {
namespace {

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
