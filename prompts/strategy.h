// Prompt files: strategies with front matter, the system and repair texts. Text in, text out; reads only its folder.
// Any thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parityd::prompts {

/// One `strategies/NAME.md`: front matter between `---` lines (title, weight, options as JSON), then the text.
struct Strategy {
  std::string name;  // file stem
  std::string title;
  double weight = 1;
  std::string options_json;  // default OPTIONS written into each program; "{}" when none
  std::string text;
};

struct PromptSet {
  std::string system;
  std::string repair, draft;         // templates (mustache)
  std::vector<Strategy> strategies;  // by name
  [[nodiscard]] const Strategy* find(const std::string& name) const;
};

/// Reads `folder`, then `extra` folders over it (same name replaces). The error names file and line.
[[nodiscard]] tl::expected<PromptSet, std::string> load_prompts(const std::filesystem::path& folder,
                                                                const std::vector<std::filesystem::path>& extra);

/// The user message for one generation: strategy text, then what makes this request differ (seed picks emphasis).
[[nodiscard]] std::string render_generate(const Strategy& strategy, std::uint64_t seed);

struct RepairFacts {
  std::string program;
  std::string error;  // the error's last line(s), capped
  std::string where;  // "forward", "inputs", …
  int line = 0;
  std::string source_line;
  std::vector<std::string> live_tensors;  // "x1: float32 [2, 10]"
  int round = 1;
};
/// Text of programs and errors is data: fenced with a fence longer than any inside, capped.
[[nodiscard]] std::string render_repair(const PromptSet& prompts, const RepairFacts& facts);

/// The request for a finding's title and summary; `facts` is JSON, fenced and capped.
[[nodiscard]] std::string render_draft(const PromptSet& prompts, const std::string& facts);

}  // namespace parityd::prompts
