#include "agent/daemon/program/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "agent/daemon/program/ordinary_inputs.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

/// Options that are part of a program's meaning or of where it runs: PyTorch takes as many threads as there are
/// processors and draws random numbers itself. All other options are compile settings.
constexpr std::array<std::string_view, 8> kMeaning{"train",    "grad",          "backward", "calls",
                                                   "autocast", "default_dtype", "threads",  "own_random"};

bool is_meaning(const std::string& key) { return std::find(kMeaning.begin(), kMeaning.end(), key) != kMeaning.end(); }

bool has_its_type(const std::string& key, const nlohmann::json& value) {
  const bool named = key == "autocast" || key == "default_dtype";
  return value.is_boolean() || value.is_number_integer() || (named && value.is_string());
}

/// False, empty and "inductor" are the defaults.
bool says_something(const nlohmann::json& value) {
  return !value.is_null() && value != false && value != "inductor" && !(value.is_structured() && value.empty());
}

/// Only flags, counts and names, which is all that kMeaning holds.
std::string python_literal(const nlohmann::json& options) {
  std::string text = "{";
  for (const auto& [key, value] : options.items()) {
    const std::string shown = value.is_boolean() ? (value.get<bool>() ? "True" : "False") : value.dump();
    text += fmt::format("{}\"{}\": {}", text.size() > 1 ? ", " : "", key, shown);
  }
  return text + "}";
}

}  // namespace

bool has_settings(const std::string& options_json) {
  const auto options = oracle::parsed_object(options_json);
  const auto& items = options.items();
  return std::any_of(items.begin(), items.end(),
                     [](const auto& entry) { return !is_meaning(entry.key()) && says_something(entry.value()); });
}

std::string variant_options(const std::string& options_json, const oracle::TriggerTrial& trial) {
  auto options = oracle::parsed_object(options_json);
  auto kept = nlohmann::json::object();
  for (const auto& [key, value] : options.items()) {
    if (!trial.default_settings || (is_meaning(key) && has_its_type(key, value))) kept[key] = value;
  }
  return kept.dump();
}

std::string variant_text(const std::string& program, const std::string& options_json,
                         const oracle::TriggerTrial& trial) {
  std::string text = program;
  text += "\n\n";
  text += kOrdinaryInputs;
  text += fmt::format("\n\nif \"get_inputs\" in globals():\n    get_inputs = _parityd_ordinary(get_inputs, {})\n",
                      trial.seed);
  if (trial.default_settings) {
    const auto options = oracle::parsed_object(variant_options(options_json, trial));
    text += fmt::format("OPTIONS = {}\n", python_literal(options));
  }
  return text;
}

}  // namespace parityd::agent
