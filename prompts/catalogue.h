// Catalogues: `catalogues/NAME.jsonl`, facts that a strategy draws by seed, so that no two requests are alike. Any
// thread.
//
// The first line is an object: "lead" says what the drawn entries are; "entry" is a mustache template for an entry
// ("{{text}}" if absent). Each further line is an entry: a string, or an object with the template's fields (strings,
// numbers, or lists of strings, which are joined by commas).
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parityd::prompts {

struct Catalogue {
  std::string name;                  // file stem
  std::string lead;                  // "Build the program around these operators:"
  std::vector<std::string> entries;  // as rendered for the prompt
};

/// Reads every catalogue of `folder` into `catalogues`, replacing those of the same name. The error names file and
/// line.
[[nodiscard]] tl::expected<void, std::string> load_catalogues(const std::filesystem::path& folder,
                                                              std::map<std::string, Catalogue>& catalogues);

/// Draws `count` different entries (all, if there are fewer), the same for the same seed; draws from different
/// catalogues are independent.
[[nodiscard]] std::vector<std::string> draw(const Catalogue& catalogue, std::uint64_t seed, int count);

}  // namespace parityd::prompts
