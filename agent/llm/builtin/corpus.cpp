#include "agent/llm/builtin/corpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

namespace parityd::agent {

tl::expected<std::vector<CorpusItem>, std::string> load_corpus(const std::filesystem::path& folder) {
  std::error_code failure;
  std::vector<CorpusItem> items;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::filesystem::path& file = entry.path();
    const bool program = file.extension() == ".py";
    if (!program && file.extension() != ".md") continue;
    std::ifstream stream(file, std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream.good() && !stream.eof()) return tl::unexpected("cannot read " + file.string());
    CorpusItem item;
    item.name = file.stem().string();
    item.strategy = item.name.substr(0, item.name.find('-'));
    item.text = program ? "```python\n" + content + "```\n" : content;
    items.push_back(std::move(item));
  }
  if (failure) return tl::unexpected("cannot read " + folder.string() + ": " + failure.message());
  std::sort(items.begin(), items.end(), [](const CorpusItem& a, const CorpusItem& b) { return a.name < b.name; });
  return items;
}

}  // namespace parityd::agent
