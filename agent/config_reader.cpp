#include "agent/config_reader.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/duration.h"
#include "agent/nearest.h"

namespace parityd::agent {
namespace {

/// Keys that had another name before 0.2. The old name is still read; it is not listed.
struct Renamed {
  std::string_view table, before, now;
};
constexpr std::array kRenamed{Renamed{"oracle", "gate_rounds", "confirmation_rounds"}};

bool was_renamed(const std::string& table, const std::string& key) {
  return std::ranges::any_of(kRenamed, [&](const Renamed& each) { return table == each.table && key == each.before; });
}

}  // namespace

void TableReader::text(const char* key, std::string& value, const std::vector<std::string>& allowed) {
  const auto* node = find(key);
  if (node == nullptr) return;
  const auto found = node->value<std::string>();
  if (!node->is_string()) {
    mistake(*node, key, "expected a string");
  } else if (!allowed.empty() && std::ranges::find(allowed, *found) == allowed.end()) {
    mistake(*node, key, fmt::format("\"{}\" is not one of {}", *found, fmt::join(allowed, ", ")));
  } else {
    value = *found;
  }
}

void TableReader::path(const char* key, std::filesystem::path& value) {
  std::string written = value.string();
  text(key, written);
  value = written;
}

void TableReader::flag(const char* key, bool& value) {
  const auto* node = find(key);
  if (node == nullptr) return;
  if (const auto found = node->value_exact<bool>()) {
    value = *found;
  } else {
    mistake(*node, key, "expected true or false");
  }
}

void TableReader::span(const char* key, std::chrono::seconds& value) {
  std::string written;
  text(key, written);
  if (written.empty()) return;
  const auto span = parse_duration(written);
  if (!span) return mistake(key, fmt::format("\"{}\" is not a time span; expected one such as 12h or 7d", written));
  value = std::chrono::duration_cast<std::chrono::seconds>(*span);
}

void TableReader::texts(const char* key, std::vector<std::string>& values) {
  const auto* node = find(key);
  if (node == nullptr) return;
  const auto* array = node->as_array();
  if (array == nullptr || !std::ranges::all_of(*array, [](const auto& each) { return each.is_string(); })) {
    return mistake(*node, key, "expected an array of strings");
  }
  values.clear();
  for (const auto& each : *array) values.push_back(each.value<std::string>().value_or(""));
}

void TableReader::paths(const char* key, std::vector<std::filesystem::path>& values) {
  std::vector<std::string> written;
  texts(key, written);
  values.assign(written.begin(), written.end());
}

const toml::table* TableReader::table(const char* key) {
  const auto* node = find(key);
  if (node != nullptr && !node->is_table()) mistake(*node, key, "expected a table");
  return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> TableReader::tables(const char* key) {
  std::vector<const toml::table*> found;
  const auto* node = find(key);
  if (node == nullptr) return found;
  const auto* array = node->as_array();
  if (array == nullptr || !std::ranges::all_of(*array, [](const auto& each) { return each.is_table(); })) {
    mistake(*node, key, fmt::format("expected tables, each written [[{}]]", full(key)));
    return found;
  }
  for (const auto& each : *array) found.push_back(each.as_table());
  return found;
}

void TableReader::not_both(const char* key, const char* other) {
  const auto says = [&](const char* each) {
    return table_ != nullptr && !(*table_)[each].value_or(std::string()).empty();
  };
  if (says(key) && says(other)) mistake(key, fmt::format("{} is also set; keep one", other));
}

void TableReader::mistake(const char* key, const std::string& what) {
  const auto* node = table_->get(key);
  mistake(node != nullptr ? *node : static_cast<const toml::node&>(*table_), key, what);
}

void TableReader::mistake(const toml::node& node, const std::string& key, const std::string& what) {
  report_.errors.push_back(
      fmt::format("{}:{}: {}: {}", report_.file.string(), node.source().begin.line, full(key), what));
}

const toml::node* TableReader::find(const char* key) {
  known_.emplace_back(key);
  if (table_ == nullptr) return nullptr;
  if (const auto* node = table_->get(key)) return node;
  for (const Renamed& each : kRenamed) {
    if (name_ == each.table && key == each.now) return table_->get(each.before);
  }
  return nullptr;
}

void TableReader::report_unknown() {
  if (table_ == nullptr) return;
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::ranges::find(known_, name) != known_.end() || was_renamed(name_, name)) continue;
    const auto meant = nearest(name, known_);
    mistake(node, name,
            meant ? fmt::format("no such key; did you mean {}?", *meant)
                  : fmt::format("no such key; there are {}", fmt::join(known_, ", ")));
  }
}

}  // namespace parityd::agent
