#include "agent/daemon/life/split_outputs.h"

#include <fmt/format.h>

#include <charconv>

namespace parityd::agent {
namespace {

/// Which of the program's outputs the leaves belong to, "output[2][0]" to the third; empty where any of them is
/// something else.
std::set<int> outputs_of(const std::vector<std::string>& leaves) {
  constexpr std::string_view kOutput = "output[";
  std::set<int> outputs;
  for (const auto& leaf : leaves) {
    if (!leaf.starts_with(kOutput)) return {};
    int number = 0;
    const char* const end = leaf.data() + leaf.size();
    if (std::from_chars(leaf.data() + kOutput.size(), end, number).ec != std::errc()) return {};
    outputs.insert(number);
  }
  return outputs;
}

}  // namespace

std::shared_ptr<const OutputsSplit> split_outputs(Workshop& shop, const store::ProgramRow& program,
                                                  const std::vector<std::string>& leaves) {
  const auto outputs = outputs_of(leaves);
  auto split = std::make_shared<OutputsSplit>(OutputsSplit{.left = outputs.size()});
  for (const int output : outputs) {
    shop.syntax.reduced(program.text, "[]", {fmt::format("output:{}", output)}, executor::UnreadLocals::go,
                        [&shop, split, id = program.id, options = program.options_json, output](const auto& text) {
                          split->left -= 1;
                          if (!text) return;  // its outputs are made in a way that cannot be taken apart
                          split->parts += 1;
                          shop.intake.take({.text = text->program,
                                            .origin = store::Origin::rest,
                                            .source = fmt::format("output {} of program {}", output, id),
                                            .default_options = options,
                                            .options_known = true});
                        });
  }
  return split;
}

std::size_t outputs_compared(const oracle::Evidence& evidence) {
  std::set<int> outputs;
  const auto* const measured = evidence.measurement(oracle::Mode::eager, evidence.compiled);
  for (const auto& leaf : measured != nullptr ? measured->leaves : std::vector<oracle::LeafMeasurement>{}) {
    outputs.merge(outputs_of({leaf.path}));
  }
  return outputs.size();
}

}  // namespace parityd::agent
