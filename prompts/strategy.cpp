#include "prompts/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace parityd::prompts {
namespace fs = std::filesystem;
namespace {

using Done = tl::expected<void, std::string>;

constexpr int kMostParents = 2;
constexpr int kMostDrawn = 20;

tl::expected<std::string, std::string> read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  if (!stream) return tl::unexpected(fmt::format("{}: cannot be read", file.string()));
  std::string text = content.str();
  std::erase(text, '\r');
  return text;
}

/// A whole number from 0 to `most`; -1 for anything else.
int number_to(int most, const std::string& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && number >= 0 && number <= most ? number : -1;
}

Done set_weight(Strategy& strategy, const std::string& value) {
  char* end = nullptr;
  strategy.weight = std::strtod(value.c_str(), &end);
  const bool number = !value.empty() && *end == '\0' && std::isfinite(strategy.weight);
  return number && strategy.weight >= 0
             ? Done{}
             : tl::unexpected(fmt::format("weight: \"{}\" is not a number from 0 up", value));
}

Done set_options(Strategy& strategy, const std::string& value) {
  const auto options = nlohmann::json::parse(value, nullptr, false);
  if (!options.is_object()) {
    return tl::unexpected(std::string("options: expected a JSON object, such as {\"train\": true}"));
  }
  strategy.options_json = options.dump();
  return {};
}

/// Parses "operators 4, dtypes 2".
Done set_draws(Strategy& strategy, const std::string& value) {
  std::istringstream list(value);
  std::string item;
  while (std::getline(list, item, ',')) {
    std::istringstream words(item);
    std::string name;
    std::string count = "1";
    std::string rest;
    words >> name >> count >> rest;
    const int number = number_to(kMostDrawn, count);
    if (name.empty() || number < 1 || !rest.empty()) {
      return tl::unexpected(
          fmt::format("draw: \"{}\": expected a catalogue's name and a number up to {}", item, kMostDrawn));
    }
    strategy.draws.push_back({.catalogue = name, .count = number});
  }
  return {};
}

Done set_reads(Strategy& strategy, const std::string& value) {
  static const std::map<std::string, Reads> known{{"chapter", Reads::chapter}, {"change", Reads::change},
                                                  {"kin", Reads::kin},         {"promises", Reads::promises},
                                                  {"samples", Reads::samples}, {"outcomes", Reads::outcomes}};
  const auto found = known.find(value);
  if (found == known.end()) {
    return tl::unexpected(
        fmt::format("reads: \"{}\" is none of chapter, change, kin, promises, samples, outcomes", value));
  }
  strategy.reads = found->second;
  return {};
}

Done set_field(Strategy& strategy, const std::string& key, const std::string& value) {
  if (key == "title") {
    strategy.title = value;
    return {};
  }
  if (key == "weight") return set_weight(strategy, value);
  if (key == "options") return set_options(strategy, value);
  if (key == "draw") return set_draws(strategy, value);
  if (key == "reads") return set_reads(strategy, value);
  if (key == "parents") {
    strategy.parents = number_to(kMostParents, value);
    return strategy.parents >= 0
               ? Done{}
               : tl::unexpected(fmt::format("parents: \"{}\" is not a number from 0 to {}", value, kMostParents));
  }
  return tl::unexpected(
      fmt::format("no such field \"{}\"; there are title, weight, options, draw, parents, reads", key));
}

/// Parses front matter between two lines of `---`, then the text.
tl::expected<Strategy, std::string> parse_strategy(const fs::path& file, const std::string& content) {
  Strategy strategy{.name = file.stem().string(), .options_json = "{}"};
  std::istringstream stream(content);
  std::string line;
  int number = 1;
  if (!std::getline(stream, line) || line != "---") {
    return tl::unexpected(fmt::format("{}:1: expected front matter that begins with ---", file.string()));
  }
  while (std::getline(stream, line) && line != "---") {
    ++number;
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      return tl::unexpected(fmt::format("{}:{}: expected \"key: value\"", file.string(), number));
    }
    const auto begin = line.find_first_not_of(' ', colon + 1);
    if (auto set = set_field(strategy, line.substr(0, colon), begin == std::string::npos ? "" : line.substr(begin));
        !set) {
      return tl::unexpected(fmt::format("{}:{}: {}", file.string(), number, set.error()));
    }
  }
  strategy.text.assign(std::istreambuf_iterator<char>(stream), {});
  strategy.title = strategy.title.empty() ? strategy.name : strategy.title;
  if (line != "---" || strategy.text.find_first_not_of(" \n") == std::string::npos) {
    return tl::unexpected(
        fmt::format("{}:{}: front matter must end with --- and be followed by the text", file.string(), number));
  }
  return strategy;
}

/// Calls `add` with path and content of each `.md` in the folder, if there is one.
template <typename Add>
Done each_text(const fs::path& folder, Add add) {
  if (!fs::is_directory(folder)) return {};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".md") continue;
    const auto content = read(entry.path());
    Done added = content ? add(entry.path(), *content) : tl::unexpected(content.error());
    if (!added) return added;
  }
  return {};
}

Done add_strategy(PromptSet& prompts, const fs::path& file, const std::string& content) {
  auto strategy = parse_strategy(file, content);
  if (!strategy) return tl::unexpected(strategy.error());
  for (auto* kept : {&prompts.strategies, &prompts.readings}) {
    std::erase_if(*kept, [&](const Strategy& each) { return each.name == strategy->name; });
  }
  (strategy->reads == Reads::nothing ? prompts.strategies : prompts.readings).push_back(std::move(*strategy));
  return {};
}

Done add_templates(PromptSet& prompts, const fs::path& folder) {
  for (auto [name, target] : {std::pair{"system.md", &prompts.system}, std::pair{"reader.md", &prompts.reader},
                              std::pair{"repair.md", &prompts.repair}}) {
    if (!fs::exists(folder / name) && !target->empty()) continue;
    auto text = read(folder / name);
    if (!text) return tl::unexpected(text.error());
    *target = std::move(*text);
  }
  return {};
}

Done add_folder(PromptSet& prompts, const fs::path& folder) {
  if (!fs::is_directory(folder)) return tl::unexpected(fmt::format("{}: no such folder of prompts", folder.string()));
  return add_templates(prompts, folder)
      .and_then([&] { return load_catalogues(folder / "catalogues", prompts.catalogues); })
      .and_then([&] {
        return each_text(folder / "repairs", [&](const fs::path& file, const std::string& content) {
          prompts.advice[file.stem().string()] = content;
          return Done{};
        });
      })
      .and_then([&] {
        return each_text(folder / "strategies", [&](const fs::path& file, const std::string& content) {
          return add_strategy(prompts, file, content);
        });
      });
}

/// Checks that something can be drawn, and that everything drawn from exists.
Done check_strategies(const PromptSet& prompts, const fs::path& folder) {
  for (const auto& strategy : prompts.strategies) {
    for (const auto& each : strategy.draws) {
      if (!prompts.catalogues.contains(each.catalogue)) {
        return tl::unexpected(
            fmt::format("strategies/{}.md: draw: there is no catalogue \"{}\"", strategy.name, each.catalogue));
      }
    }
  }
  const bool usable = std::any_of(prompts.strategies.begin(), prompts.strategies.end(),
                                  [](const Strategy& each) { return each.weight > 0 && each.parents == 0; });
  return usable ? Done{}
                : tl::unexpected(fmt::format("{}: holds no strategy without parents and with a weight above zero",
                                             (folder / "strategies").string()));
}

}  // namespace

const Strategy* PromptSet::find(const std::string& name) const {
  for (const auto* kept : {&strategies, &readings}) {
    const auto found =
        std::find_if(kept->begin(), kept->end(), [&](const Strategy& each) { return each.name == name; });
    if (found != kept->end()) return &*found;
  }
  return nullptr;
}

const Strategy* PromptSet::reading(Reads what) const {
  const auto found = std::find_if(readings.begin(), readings.end(),
                                  [&](const Strategy& each) { return each.reads == what && each.weight > 0; });
  return found == readings.end() ? nullptr : &*found;
}

tl::expected<PromptSet, std::string> load_prompts(const fs::path& folder, const std::vector<fs::path>& extra) {
  PromptSet prompts;
  std::vector<fs::path> folders = {folder};
  folders.insert(folders.end(), extra.begin(), extra.end());
  for (const auto& each : folders) {
    if (auto added = add_folder(prompts, each); !added) return tl::unexpected(added.error());
  }
  if (auto checked = check_strategies(prompts, folder); !checked) return tl::unexpected(checked.error());
  for (auto* kept : {&prompts.strategies, &prompts.readings}) {
    std::sort(kept->begin(), kept->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return prompts;
}

}  // namespace parityd::prompts
