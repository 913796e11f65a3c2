// The shipped corpus: recorded replies (.md) and seed programs (.py), named STRATEGY-NAME. Read once; any thread.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace parityd::agent {

struct CorpusItem {
  std::string name;      // "dynamic-03"
  std::string strategy;  // "dynamic": whose default options the program was written for
  std::string text;      // the reply: as recorded, or the program in a fence
};

/// Every .md and .py file of the folder, by name. An error names the folder or file that cannot be read.
[[nodiscard]] tl::expected<std::vector<CorpusItem>, std::string> load_corpus(const std::filesystem::path& folder);

}  // namespace parityd::agent
