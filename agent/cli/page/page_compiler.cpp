#include <map>

#include "agent/cli/json.h"
#include "agent/cli/page/page_views.h"

namespace parityd::agent {
namespace {

/// Counts functions; each counts once, as the first category that applies.
struct Tally {
  std::int64_t functions = 0, fruitful = 0, read = 0, changed = 0, unread = 0;

  void add(const store::UnitReadRow& unit) {
    ++functions;
    std::int64_t& as = unit.ready > 0 ? fruitful : unit.as_is > 0 ? read : unit.changed ? changed : unread;
    ++as;
  }
  [[nodiscard]] nlohmann::json json() const {
    return {{"functions", functions}, {"fruitful", fruitful}, {"read", read}, {"changed", changed}, {"unread", unread}};
  }
};

nlohmann::json areas_json(const std::vector<store::UnitReadRow>& units) {
  std::map<std::string, std::map<std::string, Tally>> areas;
  for (const auto& unit : units) areas[unit.area][unit.file].add(unit);
  auto all = nlohmann::json::array();
  for (const auto& [area, files] : areas) {
    auto listed = nlohmann::json::array();
    for (const auto& [file, tally] : files) {
      listed.push_back(tally.json());
      listed.back()["file"] = file;
    }
    all.push_back({{"area", area}, {"files", std::move(listed)}});
  }
  return all;
}

nlohmann::json functions_json(const std::vector<store::UnitReadRow>& units) {
  return json_array(units, [](const auto& unit) -> nlohmann::json {
    return {{"name", unit.name},         {"line", unit.first_line},      {"changed", unit.changed},
            {"readings", unit.readings}, {"read_as_is", unit.as_is > 0}, {"inconsistent", unit.inconsistent},
            {"ready", unit.ready}};
  });
}

}  // namespace

nlohmann::json compiler_json(const store::Store& store, const std::string& file) {
  const auto sources = store.sources.in_use();
  nlohmann::json json{{"file", file}, {"torch", ""}, {"before", ""}};
  json[file.empty() ? "areas" : "functions"] = nlohmann::json::array();
  if (!sources) return json;
  const auto& [torch, before] = *sources;
  const auto units = store.readings.units_read(torch.id, before ? std::optional(before->id) : std::nullopt, file);
  json["torch"] = torch.torch;
  json["before"] = before ? before->torch : "";
  json[file.empty() ? "areas" : "functions"] = file.empty() ? areas_json(units) : functions_json(units);
  return json;
}

}  // namespace parityd::agent
