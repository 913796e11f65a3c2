#include <nlohmann/json.hpp>

#include "store/base/connection.h"
#include "store/work/reductions.h"

namespace parityd::store {

void Reductions::set_extent(const ExtentRow& row) {
  connection_.run(
      "save an extent",
      "INSERT INTO extents (program, sentence, tried, runs, seconds, at) VALUES (?, ?, ?, ?, ?, ?) "
      "ON CONFLICT DO UPDATE SET sentence = excluded.sentence, tried = excluded.tried, runs = excluded.runs, "
      "seconds = excluded.seconds, at = excluded.at",
      row.program, row.sentence, row.tried_json, row.runs, row.seconds, row.at);
}

std::optional<ExtentRow> Reductions::extent(Id program) const {
  Rows rows = connection_.query(
      "read an extent", "SELECT program, sentence, tried, runs, seconds, at FROM extents WHERE program = ?", program);
  if (!rows.next()) return std::nullopt;
  ExtentRow row;
  rows.read(row.program, row.sentence, row.tried_json, row.runs, row.seconds, row.at);
  return row;
}

std::vector<std::string> operators_failing(const ExtentRow& extent) {
  std::vector<std::string> names;
  for (const auto& tried : nlohmann::json::parse(extent.tried_json)) {
    if (tried.at("aspect") == "operators" && tried.at("shows") == true) names.push_back(tried.at("value"));
  }
  return names;
}

bool any_threads(const ExtentRow& extent) {
  bool one = false;
  bool several = false;
  for (const auto& tried : nlohmann::json::parse(extent.tried_json)) {
    if (tried.at("aspect") == "threads" && tried.at("shows") == true) (tried.at("value") == "1" ? one : several) = true;
  }
  return one && several;
}

}  // namespace parityd::store
