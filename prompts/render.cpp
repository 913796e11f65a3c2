// Prompts as they are sent.
#include <fmt/format.h>

#include <algorithm>

#include "prompts/strategy.h"
#include "prompts/text.h"

namespace parityd::prompts {
namespace {

/// Enough for any program worth repairing, small beside the model's window.
constexpr std::size_t kProgramCap = std::size_t{16} * 1024;
/// A parent is read for ideas, and two of them must fit.
constexpr std::size_t kParentCap = std::size_t{6} * 1024;
constexpr std::size_t kReachedCap = 300;
constexpr std::size_t kFactsCap = std::size_t{24} * 1024;
constexpr std::size_t kErrorCap = 600;
constexpr std::size_t kLiveTensorCap = 24;
constexpr std::size_t kLiveTensorLength = 200;

std::string without_last_lines(const std::string& text) { return text.substr(0, text.find_last_not_of('\n') + 1); }

std::string told_parent(const Parent& parent, std::size_t number, std::size_t of) {
  const std::string program = plain(parent.program, kParentCap);
  const std::string fence = fence_for(program);
  const std::string reached = one_line(parent.reached, kReachedCap);
  return fmt::format("\n\n{}{}:\n\n{}python\n{}\n{}", of == 1 ? "The program" : fmt::format("Program {}", number),
                     reached.empty() ? "" : fmt::format(" (new in the compiler: {})", reached), fence,
                     without_last_lines(program), fence);
}

std::string told_draw(const Catalogue& catalogue, std::uint64_t seed, int count) {
  std::string text = "\n\n" + catalogue.lead;
  for (const auto& entry : draw(catalogue, seed, count)) {
    text += "\n- " + entry;
  }
  return text;
}

}  // namespace

std::string render_generate(const PromptSet& prompts, const Strategy& strategy, std::uint64_t seed,
                            const std::vector<Parent>& parents) {
  std::string text = without_last_lines(strategy.text);
  for (std::size_t index = 0; index < parents.size(); ++index) {
    text += told_parent(parents[index], index + 1, parents.size());
  }
  for (const auto& each : strategy.draws) {
    text += told_draw(prompts.catalogues.at(each.catalogue), seed, each.count);
  }
  return fmt::format("{}\n\nVariation {}.", text, seed);
}

std::string render_repair(const PromptSet& prompts, const RepairFacts& facts) {
  const std::string program = plain(facts.program, kProgramCap);
  const std::string error = plain(facts.error, kErrorCap);
  const std::string source = one_line(facts.source_line, kErrorCap);
  std::string tensors;
  for (std::size_t index = 0; index < std::min(facts.live_tensors.size(), kLiveTensorCap); ++index) {
    tensors += (index == 0 ? "" : "\n") + one_line(facts.live_tensors[index], kLiveTensorLength);
  }
  const auto advice = prompts.advice.find(facts.error_class);
  kainjow::mustache::data data;
  data.set("fence", fence_for(program + "\n" + error + "\n" + source + "\n" + tensors));
  data.set("program", program);
  data.set("error", error);
  data.set("where", one_line(facts.where, kLiveTensorLength));
  data.set("line", shown(facts.line > 0));
  data.set("number", std::to_string(facts.line));
  data.set("source", source);
  data.set("live", shown(!tensors.empty()));
  data.set("tensors", tensors);
  data.set("advised", shown(advice != prompts.advice.end()));
  data.set("advice", advice == prompts.advice.end() ? "" : without_last_lines(advice->second));
  data.set("again", shown(facts.round > 1));
  data.set("round", std::to_string(facts.round));
  return fill(prompts.repair, data);
}

std::string render_draft(const PromptSet& prompts, const std::string& facts) {
  const std::string shown_facts = plain(facts, kFactsCap);
  kainjow::mustache::data data;
  data.set("fence", fence_for(shown_facts));
  data.set("facts", shown_facts);
  return fill(prompts.draft, data);
}

}  // namespace parityd::prompts
