// Strict readers of JSON fields: a field that is present must have the right type, whereas nlohmann's own conversions
// cut 1.5 to 1 and accept true as a number. They throw nlohmann::json::exception. Also JSON from and to text. Any
// thread.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/names.h"

/// Enumerations are written as their names. nlohmann's conversion to numbers is switched off (CMakeLists.txt).
template <parityd::oracle::Named Enum>
struct nlohmann::adl_serializer<Enum, void> {
  static void to_json(json& to, Enum value) { to = parityd::oracle::name(value); }
  static void from_json(const json& from, Enum& value) {
    const auto found = parityd::oracle::from_name<Enum>(from.get<std::string>());
    if (!found) throw json::other_error::create(501, "no value has the name " + from.dump(), &from);
    value = *found;
  }
};

namespace parityd::oracle {

/// On one line. Bytes in strings that are not UTF-8 are replaced.
template <typename Json>
std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A discarded value if the text is not JSON.
inline nlohmann::json parsed(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

/// An empty object if the text is not a JSON object.
inline nlohmann::json parsed_object(std::string_view text) {
  auto json = parsed(text);
  return json.is_object() ? json : nlohmann::json::object();
}

}  // namespace parityd::oracle

namespace parityd::oracle::json_read {

[[noreturn]] inline void fail(const nlohmann::json& json, std::string_view key, std::string_view expected) {
  throw nlohmann::json::type_error::create(
      302, "'" + std::string(key) + "' must be " + std::string(expected) + ", not " + json.type_name(), &json);
}

/// The value of `key`, or null if it is left out. `json` must be an object.
inline const nlohmann::json* find(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) fail(json, key, "a field of an object");
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

inline const nlohmann::json& require(const nlohmann::json& json, const char* key) {
  const nlohmann::json* const found = find(json, key);
  if (found == nullptr) throw nlohmann::json::out_of_range::create(403, std::string("'") + key + "' is missing", &json);
  return *found;
}

template <typename Integer>
Integer integer_of(const nlohmann::json& json, const char* key) {
  if (!json.is_number_integer()) fail(json, key, "an integer");
  const bool fits = json.is_number_unsigned() ? std::in_range<Integer>(json.get<std::uint64_t>())
                                              : std::in_range<Integer>(json.get<std::int64_t>());
  if (!fits) throw nlohmann::json::out_of_range::create(406, std::string("'") + key + "' is too large", &json);
  return json.get<Integer>();
}

inline double finite_of(const nlohmann::json& json, const char* key) {
  if (!json.is_number()) fail(json, key, "a number");
  return json.get<double>();
}

inline double number_of(const nlohmann::json& json, const char* key) {
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  return finite_of(json, key);
}

inline bool flag_of(const nlohmann::json& json, const char* key) {
  if (!json.is_boolean()) fail(json, key, "true or false");
  return json.get<bool>();
}

inline const std::string& text_of(const nlohmann::json& json, const char* key) {
  if (!json.is_string()) fail(json, key, "a string");
  return json.get_ref<const std::string&>();
}

inline const nlohmann::json& object_of(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) fail(json, key, "an object");
  return json;
}

inline const nlohmann::json& array_of(const nlohmann::json& json, const char* key) {
  if (!json.is_array()) fail(json, key, "an array");
  return json;
}

/// A flag, an integer, a finite number or a string; throws if it is left out.
template <typename Value>
Value required(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = require(json, key);
  if constexpr (std::is_same_v<Value, bool>) {
    return flag_of(value, key);
  } else if constexpr (std::is_integral_v<Value>) {
    return integer_of<Value>(value, key);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return finite_of(value, key);
  } else {
    return text_of(value, key);
  }
}

template <typename Value>
std::optional<Value> optional(const nlohmann::json& json, const char* key) {
  return find(json, key) == nullptr ? std::nullopt : std::optional(required<Value>(json, key));
}

template <typename Value>
requires std::is_integral_v<Value> || std::is_same_v<Value, std::string>
void read(const nlohmann::json& json, const char* key, Value& value) {
  value = optional<Value>(json, key).value_or(Value{});
}

inline void read(const nlohmann::json& json, const char* key, double& value) {
  const nlohmann::json* const found = find(json, key);
  value = found == nullptr ? 0 : number_of(*found, key);
}

inline void read(const nlohmann::json& json, const char* key, std::vector<std::int64_t>& values) {
  values.clear();
  const nlohmann::json* const found = find(json, key);
  if (found == nullptr) return;
  for (const auto& item : array_of(*found, key)) values.push_back(integer_of<std::int64_t>(item, key));
}

inline void read(const nlohmann::json& json, const char* key, std::vector<std::string>& values) {
  values.clear();
  const nlohmann::json* const found = find(json, key);
  if (found == nullptr) return;
  for (const auto& item : array_of(*found, key)) values.push_back(text_of(item, key));
}

/// An enumeration's value by its name; `fallback` if it is left out.
template <Named Enum>
Enum read_name(const nlohmann::json& json, const char* key, Enum fallback) {
  const nlohmann::json* const found = find(json, key);
  if (found == nullptr) return fallback;
  const auto value = from_name<Enum>(text_of(*found, key));
  if (!value) {
    throw nlohmann::json::other_error::create(
        501, std::string("'") + key + "' has no value named '" + text_of(*found, key) + "'", &json);
  }
  return *value;
}

template <Named Enum>
Enum require_name(const nlohmann::json& json, const char* key) {
  require(json, key);
  return read_name(json, key, Enum{});
}

}  // namespace parityd::oracle::json_read
