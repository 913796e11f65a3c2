#include "prompts/catalogue.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "prompts/text.h"

namespace parityd::prompts {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// A field as text for the template.
std::string field_text(const json& value) {
  if (!value.is_array()) return value.is_string() ? value.get<std::string>() : value.dump();
  std::string text;
  for (const auto& each : value) text += (text.empty() ? "" : ", ") + field_text(each);
  return text;
}

std::string told(const std::string& entry_template, const json& entry) {
  kainjow::mustache::data data;
  if (entry.is_string()) {
    data.set("text", entry.get<std::string>());
  } else {
    for (const auto& [key, value] : entry.items()) {
      const std::string text = field_text(value);
      data.set(key, text.empty() ? shown(false) : kainjow::mustache::data(text));
    }
  }
  return fill(entry_template, data);
}

tl::expected<Catalogue, std::string> parse_catalogue(const fs::path& file) {
  Catalogue catalogue{.name = file.stem().string()};
  std::ifstream stream(file);
  std::string entry_template;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const auto value = json::parse(line, nullptr, false);
    const auto mistake = [&](std::string_view what) {
      return tl::unexpected(fmt::format("{}:{}: {}", file.string(), number, what));
    };
    if (number == 1) {
      if (!value.is_object() || !value.contains("lead") || !value["lead"].is_string()) {
        return mistake("expected an object that says \"lead\"");
      }
      catalogue.lead = value["lead"].get<std::string>();
      entry_template = value.value("entry", "{{text}}");
    } else if (!value.is_string() && !value.is_object()) {
      return mistake("expected a JSON string or object");
    } else {
      catalogue.entries.push_back(told(entry_template, value));
    }
  }
  if (catalogue.entries.empty()) return tl::unexpected(fmt::format("{}: holds no entry", file.string()));
  return catalogue;
}

/// FNV-1a: unlike std::hash, the same on every machine.
std::uint64_t name_hash(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

/// The finaliser of splitmix64: seeds are consecutive, and neighbours must not draw alike.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

}  // namespace

tl::expected<void, std::string> load_catalogues(const fs::path& folder, std::map<std::string, Catalogue>& catalogues) {
  if (!fs::is_directory(folder)) return {};
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    auto catalogue = parse_catalogue(entry.path());
    if (!catalogue) return tl::unexpected(catalogue.error());
    catalogues[catalogue->name] = std::move(*catalogue);
  }
  return {};
}

std::vector<std::string> draw(const Catalogue& catalogue, std::uint64_t seed, int count) {
  std::mt19937_64 random(mixed(seed + name_hash(catalogue.name)));
  std::vector<std::string> left = catalogue.entries;
  std::vector<std::string> drawn;
  while (static_cast<int>(drawn.size()) < count && !left.empty()) {
    const auto at = static_cast<std::ptrdiff_t>(random() % left.size());
    drawn.push_back(std::move(left[static_cast<std::size_t>(at)]));
    left.erase(left.begin() + at);
  }
  return drawn;
}

}  // namespace parityd::prompts
