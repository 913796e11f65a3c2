// Strict readers of JSON fields: a field may be left out, but one that is there has the right type. nlohmann's own
// conversions cut 1.5 to 1 and take true for a number. Throws nlohmann::json::exception. Any thread.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

inline double number_of(const nlohmann::json& json, const char* key) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  fail(json, key, "a number");
}

inline const std::string& text_of(const nlohmann::json& json, const char* key) {
  if (!json.is_string()) fail(json, key, "a string");
  return json.get_ref<const std::string&>();
}

inline const nlohmann::json& array_of(const nlohmann::json& json, const char* key) {
  if (!json.is_array()) fail(json, key, "an array");
  return json;
}

inline void read(const nlohmann::json& json, const char* key, bool& value) {
  const nlohmann::json* const found = find(json, key);
  if (found != nullptr && !found->is_boolean()) fail(*found, key, "true or false");
  value = found != nullptr && found->get<bool>();
}

template <typename Integer>
requires std::is_integral_v<Integer>
void read(const nlohmann::json& json, const char* key, Integer& value) {
  const nlohmann::json* const found = find(json, key);
  value = found == nullptr ? Integer{0} : integer_of<Integer>(*found, key);
}

inline void read(const nlohmann::json& json, const char* key, double& value) {
  const nlohmann::json* const found = find(json, key);
  value = found == nullptr ? 0 : number_of(*found, key);
}

inline void read(const nlohmann::json& json, const char* key, std::string& value) {
  const nlohmann::json* const found = find(json, key);
  value = found == nullptr ? std::string() : text_of(*found, key);
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

/// An enumeration's value by its name; `fallback` when left out.
template <typename Enum>
Enum read_name(const nlohmann::json& json, const char* key, std::optional<Enum> (*from_name)(std::string_view),
               Enum fallback) {
  const nlohmann::json* const found = find(json, key);
  if (found == nullptr) return fallback;
  const std::optional<Enum> value = from_name(text_of(*found, key));
  if (!value) {
    throw nlohmann::json::other_error::create(
        501, std::string("'") + key + "' has no value named '" + text_of(*found, key) + "'", &json);
  }
  return *value;
}

template <typename Enum>
Enum require_name(const nlohmann::json& json, const char* key, std::optional<Enum> (*from_name)(std::string_view)) {
  require(json, key);
  return read_name(json, key, from_name, Enum{});
}

}  // namespace parityd::oracle::json_read
