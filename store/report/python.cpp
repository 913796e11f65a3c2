#include "store/report/python.h"

#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::store {

std::string python_literal(const nlohmann::json& value) {
  std::string text;
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      for (const auto& [key, child] : value.items()) {
        text += (text.empty() ? "" : ", ") + python_literal(key) + ": " + python_literal(child);
      }
      return "{" + text + "}";
    case nlohmann::json::value_t::array:
      for (const auto& child : value) text += (text.empty() ? "" : ", ") + python_literal(child);
      return "[" + text + "]";
    case nlohmann::json::value_t::boolean:
      return value.get<bool>() ? "True" : "False";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
    case nlohmann::json::value_t::number_float:
      return value.dump();
    case nlohmann::json::value_t::string:  // JSON's escapes mean the same in Python
      return oracle::compact(value);
    default:
      return "None";
  }
}

}  // namespace parityd::store
