// Reads the tables of parityd.toml and records every mistake with file, line and key. Internal to agent/config*.cpp.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "agent/config.h"
#include "agent/toml.h"

namespace parityd::agent {

/// Where mistakes are recorded.
struct ConfigReport {
  const std::filesystem::path& file;
  ConfigErrors& errors;
};

/// Reads one table. Every expected key is declared by a call; keys not declared before the reader is destroyed are
/// mistakes. A null table is an absent one: values keep their defaults.
class TableReader {
 public:
  /// `name` as shown in mistakes: "executor.group"; empty for the file itself.
  TableReader(const toml::table* table, std::string name, ConfigReport report)
      : table_(table), name_(std::move(name)), report_(report) {}
  ~TableReader() { report_unknown(); }
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  void text(const char* key, std::string& value, const std::vector<std::string>& allowed = {});
  void path(const char* key, std::filesystem::path& value);
  void flag(const char* key, bool& value);
  /// A span of time as people write it: "12h", "7d".
  void span(const char* key, std::chrono::seconds& value);
  void texts(const char* key, std::vector<std::string>& values);
  void paths(const char* key, std::vector<std::filesystem::path>& values);
  /// Accepts `least` to `most`, both included.
  template <class Number>
  void number(const char* key, Number& value, double least, double most);

  [[nodiscard]] bool has(const char* key) const { return table_ != nullptr && table_->contains(key); }
  /// The value of a key, of any type; null when absent.
  const toml::node* node(const char* key) { return find(key); }
  /// A table inside this one; null when absent.
  const toml::table* table(const char* key);
  /// The tables of an array of tables, each written [[NAME.key]].
  std::vector<const toml::table*> tables(const char* key);

  /// For two keys that set the same thing: a mistake at `key` if both are given and non-empty.
  void not_both(const char* key, const char* other);
  /// Records a mistake at the key, or at the table if the key is missing.
  void mistake(const char* key, const std::string& what);
  void mistake(const toml::node& node, const std::string& key, const std::string& what);

 private:
  [[nodiscard]] std::string full(const std::string& key) const { return name_.empty() ? key : name_ + "." + key; }
  const toml::node* find(const char* key);
  void report_unknown();

  const toml::table* table_;
  std::string name_;
  ConfigReport report_;
  std::vector<std::string> known_;
};

template <class Number>
void TableReader::number(const char* key, Number& value, double least, double most) {
  const auto* node = find(key);
  if (node == nullptr) return;
  constexpr bool kWhole = std::is_integral_v<Number>;
  if (!(node->is_integer() || (!kWhole && node->is_floating_point()))) {
    mistake(*node, key, kWhole ? "expected a whole number" : "expected a number");
    return;
  }
  // toml++ gives no double for a whole number beyond 2^53.
  const double found = node->is_integer() ? static_cast<double>(node->value<std::int64_t>().value_or(0))
                                          : node->value<double>().value_or(0);
  if (!(found >= least && found <= most)) {  // also rejects NaN
    mistake(*node, key, fmt::format("{:g} is out of range: expected {:g} to {:g}", found, least, most));
    return;
  }
  value = kWhole ? static_cast<Number>(node->value<std::int64_t>().value_or(0)) : static_cast<Number>(found);
}

}  // namespace parityd::agent
