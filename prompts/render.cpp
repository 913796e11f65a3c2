// Renders prompts as they are sent.
#include <fmt/format.h>

#include <algorithm>

#include "prompts/strategy.h"
#include "prompts/text.h"

namespace parityd::prompts {
namespace {

/// Limits on quoted text in bytes, and on the number of tensors.
struct Caps {
  std::size_t program, parent, error, live_tensors;
};
/// Enough for any program worth repairing and small relative to most context windows. Two parents, which are read for
/// ideas, must fit.
constexpr Caps kWhole{
    .program = std::size_t{16} * 1024, .parent = std::size_t{6} * 1024, .error = 600, .live_tensors = 24};
/// For a context window that the whole did not fit.
constexpr Caps kTrimmed{.program = std::size_t{2} * 1024, .parent = 1024, .error = 200, .live_tensors = 8};

constexpr std::size_t kReachedCap = 300;
constexpr std::size_t kLiveTensorLength = 200;

const Caps& caps_of(Quoting quoting) { return quoting == Quoting::whole ? kWhole : kTrimmed; }

std::string quoted(const std::string& program, std::size_t cap, Quoting quoting) {
  return quoting == Quoting::whole ? plain(program, cap) : ends(plain(program, program.size()), cap);
}

std::string without_last_lines(const std::string& text) { return text.substr(0, text.find_last_not_of('\n') + 1); }

std::string told_parent(const Parent& parent, std::size_t number, std::size_t of, Quoting quoting) {
  const std::string program = quoted(parent.program, caps_of(quoting).parent, quoting);
  const std::string fence = fence_for(program);
  const std::string reached = one_line(parent.reached, kReachedCap);
  return fmt::format("\n\n{}{}:\n\n{}python\n{}\n{}", of == 1 ? "The program" : fmt::format("Program {}", number),
                     reached.empty() ? "" : fmt::format(" (new in the compiler: {})", reached), fence,
                     without_last_lines(program), fence);
}

std::string told_draw(const Catalogue& catalogue, std::uint64_t seed, int count) {
  std::string text = "\n\n" + catalogue.lead;
  for (const auto& entry : draw(catalogue, seed, count)) text += "\n- " + entry;
  return text;
}

}  // namespace

std::string render_generate(const PromptSet& prompts, const Strategy& strategy, std::uint64_t seed,
                            const std::vector<Parent>& parents, Quoting quoting) {
  std::string text = without_last_lines(strategy.text);
  for (std::size_t index = 0; index < parents.size(); ++index) {
    text += told_parent(parents[index], index + 1, parents.size(), quoting);
  }
  for (const auto& each : strategy.draws) text += told_draw(prompts.catalogues.at(each.catalogue), seed, each.count);
  return fmt::format("{}\n\nVariation {}.", text, seed);
}

std::string render_repair(const PromptSet& prompts, const RepairFacts& facts, Quoting quoting) {
  const Caps& caps = caps_of(quoting);
  const std::string program = quoted(facts.program, caps.program, quoting);
  const std::string error = plain(facts.error, caps.error);
  const std::string source = one_line(facts.source_line, caps.error);
  std::string tensors;
  for (std::size_t index = 0; index < std::min(facts.live_tensors.size(), caps.live_tensors); ++index) {
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

}  // namespace parityd::prompts
