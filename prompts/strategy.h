// Prompt files: strategies with front matter, the catalogues they draw from, the system and repair texts. Text in, text
// out; reads only its folders. Any thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "prompts/catalogue.h"

namespace parityd::prompts {

/// What a strategy draws from a catalogue for each request.
struct Draw {
  std::string catalogue;
  int count = 1;
};

/// What a strategy gives a model to read: source text of the compiler; what changed in it; such text with known bugs of
/// operators in it; documentation; definitions of the samples with which PyTorch tests its operators; or the outcomes
/// of the programs that it wrote after reading.
enum class Reads { nothing, chapter, change, kin, promises, samples, outcomes };

/// One `strategies/NAME.md`: front matter between `---` lines (title, weight, options as JSON, draw, parents,
/// reads), then the text (docs/strategies.md).
struct Strategy {
  std::string name;  // file stem
  std::string title;
  double weight = 1;
  std::string options_json;  // default OPTIONS written into each program; "{}" if none
  std::vector<Draw> draws;
  int parents = 0;  // programs included in its prompt: 0, 1 (mutation), 2 (cross-over)
  Reads reads = Reads::nothing;
  std::string text;  // for a strategy that reads, a template (prompts/reading.h)
};

struct PromptSet {
  std::string system;
  std::string reader;                           // the system text of strategies that read
  std::string repair;                           // a mustache template
  std::map<std::string, std::string> advice;    // repairs/NAME.md, by error class
  std::map<std::string, Catalogue> catalogues;  // by name
  std::vector<Strategy> strategies;             // by name; those that do not read
  std::vector<Strategy> readings;               // by name; those that read
  [[nodiscard]] const Strategy* find(const std::string& name) const;
  /// The strategy that reads this; null: there is none, or its weight is zero.
  [[nodiscard]] const Strategy* reading(Reads what) const;
};

/// Reads `folder`, then the `extra` folders over it (files of the same name replace earlier ones). The error names file
/// and line.
[[nodiscard]] tl::expected<PromptSet, std::string> load_prompts(const std::filesystem::path& folder,
                                                                const std::vector<std::filesystem::path>& extra);

/// How much of programs and errors a prompt quotes: `trimmed` is for a model that rejected the whole as too long. A
/// trimmed program keeps its beginning and end.
enum class Quoting { whole, trimmed };

/// A program included in a prompt as a starting point.
struct Parent {
  std::string program;
  std::string reached;  // what was new about it, as text; may be empty
};

/// The user message for one generation: the strategy's fixed text, then its parents (fenced and capped, because they
/// are data), then what makes this request different: draws from the catalogues, determined by the seed.
[[nodiscard]] std::string render_generate(const PromptSet& prompts, const Strategy& strategy, std::uint64_t seed,
                                          const std::vector<Parent>& parents = {}, Quoting quoting = Quoting::whole);

struct RepairFacts {
  std::string program;
  std::string error;        // class and message; capped
  std::string error_class;  // selects the advice (prompts/error_class.h)
  std::string where;        // "forward", "inputs", …
  int line = 0;
  std::string source_line;
  std::vector<std::string> live_tensors;  // "x1: float32 [2, 10]"
  int round = 1;
};
/// The repair prompt. Text of programs and errors is data: capped, and fenced with a fence longer than any inside.
[[nodiscard]] std::string render_repair(const PromptSet& prompts, const RepairFacts& facts,
                                        Quoting quoting = Quoting::whole);

}  // namespace parityd::prompts
