// Helpers for JSON documents of commands and of the page. Pure; any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "oracle/json_read.h"

namespace parityd::agent {

/// An array of `make`'s results for each row.
template <class Rows, class Make>
[[nodiscard]] nlohmann::json json_array(const Rows& rows, const Make& make) {
  auto all = nlohmann::json::array();
  for (const auto& row : rows) all.push_back(make(row));
  return all;
}

/// Only these fields.
[[nodiscard]] inline nlohmann::json picked(const nlohmann::json& all, const std::vector<std::string>& names) {
  auto json = nlohmann::json::object();
  for (const auto& name : names) json[name] = all.at(name);
  return json;
}

template <class Value>
[[nodiscard]] nlohmann::json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace parityd::agent
