#include "prompts/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "prompts/text.h"

namespace parityd::prompts {
namespace {

/// Bytes: of the longest function, of all promises, of a hypothesis; and how many hypotheses are told.
struct ReadingCaps {
  std::size_t unit, promises, hypothesis, tried;
};
constexpr ReadingCaps kWholeChapter{
    .unit = std::size_t{48} * 1024, .promises = std::size_t{8} * 1024, .hypothesis = 300, .tried = 24};
constexpr ReadingCaps kTrimmedChapter{.unit = 1500, .promises = 1024, .hypothesis = 120, .tried = 6};

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

}  // namespace

std::string render_reading(const Strategy& strategy, const ReadingFacts& facts, Quoting quoting) {
  const ReadingCaps& caps = quoting == Quoting::whole ? kWholeChapter : kTrimmedChapter;
  std::string chapter =
      strategy.reads == Reads::change ? compared(facts.units, caps.unit) : numbered(facts.units, caps.unit);
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
  data.set("tried", shown(!facts.tried.empty()));
  data.set("trials", trials(facts.tried, caps));
  data.set("programs", std::to_string(kProgramsOfReading));
  data.set("checks", std::to_string(kChecksOfReading));
  return without_gaps(fill(strategy.text, data));
}

}  // namespace parityd::prompts
