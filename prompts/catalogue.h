// Catalogues: `catalogues/NAME.jsonl`, facts a strategy draws from by seed, so that no two requests ask alike. Any
// thread.
//
// The first line is an object: "lead" says what the drawn entries are; "entry", a mustache template, how one is told
// ("{{text}}" where it is absent). Each line after it is an entry: a string, or an object whose fields the template
// names (strings, numbers, or lists of strings, which are joined by commas).
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
  std::vector<std::string> entries;  // as they are told
};

/// Reads every catalogue of `folder` into `catalogues`, over those of the same name. The error names file and line.
[[nodiscard]] tl::expected<void, std::string> load_catalogues(const std::filesystem::path& folder,
                                                              std::map<std::string, Catalogue>& catalogues);

/// `count` different entries (all, where there are fewer), the same for the same seed; each catalogue draws its own
/// way.
[[nodiscard]] std::vector<std::string> draw(const Catalogue& catalogue, std::uint64_t seed, int count);

}  // namespace parityd::prompts
