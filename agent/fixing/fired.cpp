#include "agent/fixing/fired.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/fixing/tool_answer.h"

namespace parityd::agent {
namespace {

FiredFunction function_from(const nlohmann::json& row) {
  return {.file = row.at("file"),
          .name = row.at("name"),
          .first_line = row.at("first_line"),
          .last_line = row.at("last_line"),
          .calls = row.at("calls"),
          .common = row.value("common", false),
          .own_lines = row.value("own_lines", ""),
          .operators = row.value("operators", std::vector<std::string>())};
}

bool gives_up(std::string_view name) { return name.starts_with("fallback:") || name.starts_with("graph_break"); }

std::int64_t count_in(const Fired& fired, const std::string& name) {
  const auto found = fired.counts.find(name);
  return found == fired.counts.end() ? 0 : found->second;
}

}  // namespace

tl::expected<Fired, std::string> read_fired(std::string_view text) {
  const auto answer = answer_of_tool(text);
  if (answer.empty()) return tl::unexpected(std::string("the tool `fired` gave no answer"));
  Fired fired;
  try {
    for (const auto& row : answer.at("functions")) fired.functions.push_back(function_from(row));
    answer.at("counts").get_to(fired.counts);
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(fmt::format("the answer of the tool `fired` cannot be read: {}", error.what()));
  }
  return fired;
}

std::vector<SwitchedOff> switched_off(const Fired& before, const Fired& after) {
  std::vector<SwitchedOff> off;
  for (const auto& [name, count] : before.counts) {
    if (!gives_up(name) && count_in(after, name) == 0 && count > 0) {
      off.push_back({.name = name, .told = fmt::format("{}: {} before, none with the change", name, count)});
    }
  }
  for (const auto& [name, count] : after.counts) {
    const std::int64_t then = count_in(before, name);
    if (gives_up(name) && count > then) {
      off.push_back({.name = name,
                     .told = fmt::format("{}: {} before, {} with the change", name, then, count),
                     .gives_up = true});
    }
  }
  return off;
}

bool still_fires(const SwitchedOff& name, const Fired& before, const Fired& after) {
  if (name.gives_up) return count_in(after, name.name) <= count_in(before, name.name);
  return count_in(before, name.name) > 0 && count_in(after, name.name) > 0;
}

}  // namespace parityd::agent
