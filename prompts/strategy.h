// Prompt files: strategies with front matter, catalogues they draw from, the system and repair texts. Text in, text
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

/// What a strategy takes from a catalogue for each request.
struct Draw {
  std::string catalogue;
  int count = 1;
};

/// What a strategy gives a model to read: source text of the compiler as it is, what changed in it, such text beside
/// known bugs of operators that it names; documentation; definitions of the samples that PyTorch tests its operators
/// with; or what came of the programs that it wrote after reading.
enum class Reads { nothing, chapter, change, kin, promises, samples, outcomes };

/// One `strategies/NAME.md`: front matter between `---` lines (title, weight, options as JSON, draw, parents,
/// reads), then the text (docs/strategies.md).
struct Strategy {
  std::string name;  // file stem
  std::string title;
  double weight = 1;
  std::string options_json;  // default OPTIONS written into each program; "{}" when none
  std::vector<Draw> draws;
  int parents = 0;  // programs its prompt is given: 0, 1 (mutation), 2 (cross-over)
  Reads reads = Reads::nothing;
  std::string text;  // of one that reads a template (prompts/reading.h)
};

struct PromptSet {
  std::string system;
  std::string reader;                           // the system text of strategies that read
  std::string repair;                           // a template (mustache)
  std::map<std::string, std::string> advice;    // repairs/NAME.md, by class of error
  std::map<std::string, Catalogue> catalogues;  // by name
  std::vector<Strategy> strategies;             // by name; those that read nothing
  std::vector<Strategy> readings;               // by name; those that do
  [[nodiscard]] const Strategy* find(const std::string& name) const;
  /// The strategy that reads this; null: none does, or its weight is zero.
  [[nodiscard]] const Strategy* reading(Reads what) const;
};

/// Reads `folder`, then `extra` folders over it (same name replaces). The error names file and line.
[[nodiscard]] tl::expected<PromptSet, std::string> load_prompts(const std::filesystem::path& folder,
                                                                const std::vector<std::filesystem::path>& extra);

/// How much of programs and errors a prompt quotes: `trimmed` is for a model that refused the whole as too long. A
/// trimmed program keeps its beginning and its end.
enum class Quoting { whole, trimmed };

/// A program that a prompt is given to start from.
struct Parent {
  std::string program;
  std::string reached;  // what was new about it, in words; may be empty
};

/// The user message for one generation: the strategy's fixed text, then its parents (fenced and capped, for they are
/// data), then what makes this request differ: the seed draws from the catalogues.
[[nodiscard]] std::string render_generate(const PromptSet& prompts, const Strategy& strategy, std::uint64_t seed,
                                          const std::vector<Parent>& parents = {}, Quoting quoting = Quoting::whole);

struct RepairFacts {
  std::string program;
  std::string error;        // class and message; capped
  std::string error_class;  // its advice is given: prompts/error_class.h
  std::string where;        // "forward", "inputs", …
  int line = 0;
  std::string source_line;
  std::vector<std::string> live_tensors;  // "x1: float32 [2, 10]"
  int round = 1;
};
/// Text of programs and errors is data: fenced with a fence longer than any inside, capped.
[[nodiscard]] std::string render_repair(const PromptSet& prompts, const RepairFacts& facts,
                                        Quoting quoting = Quoting::whole);

}  // namespace parityd::prompts
