#include "agent/fixing/surroundings.h"

#include <nlohmann/json.hpp>

#include "agent/fixing/tool_answer.h"

namespace parityd::agent {
namespace {

/// The rows of the member of this name; empty: the text holds no such answer.
nlohmann::json rows_of(std::string_view text, const char* member) {
  const auto answer = answer_of_tool(text);
  const auto rows = answer.find(member);
  return rows != answer.end() && rows->is_array() ? *rows : nlohmann::json::array();
}

Relation relation_from(const std::string& name) {
  return name == "right" ? Relation::right : name == "same" ? Relation::same : Relation::alike;
}

}  // namespace

nlohmann::json function_arguments(const std::vector<std::string>& places) {
  auto functions = nlohmann::json::array();
  for (const std::string& place : places) {
    const auto colon = place.find(':');
    functions.push_back({{"file", place.substr(0, colon)}, {"name", place.substr(colon + 1)}});
  }
  return functions;
}

std::map<std::string, ReachedBy> read_callers(std::string_view text) {
  std::map<std::string, ReachedBy> found;
  try {
    for (const auto& row : rows_of(text, "functions")) {
      found[row.at("file").get<std::string>() + ":" + row.at("name").get<std::string>()] = {
          .operators = row.at("operators"), .number = row.at("reached")};
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return found;
}

std::vector<Documented> read_documented(std::string_view text) {
  std::vector<Documented> found;
  try {
    for (const auto& row : rows_of(text, "operators")) {
      found.push_back({.name = row.at("operator"), .schemas = row.at("schemas"), .text = row.at("text")});
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return found;
}

std::vector<SiblingFunction> read_siblings(std::string_view text) {
  std::vector<SiblingFunction> found;
  try {
    for (const auto& row : rows_of(text, "functions")) {
      found.push_back({.file = row.at("file"),
                       .name = row.at("name"),
                       .first_line = row.at("first_line"),
                       .last_line = row.at("last_line"),
                       .relation = relation_from(row.at("relation")),
                       .to = row.at("to")});
    }
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return found;
}

}  // namespace parityd::agent
