#include "agent/config_tables.h"

#include <charconv>
#include <system_error>

namespace parityd::agent {
namespace {

constexpr std::int64_t kLeastSize = 4096;

/// "64K", "10M", "1G" or a number of bytes; nullopt for anything else.
std::optional<std::int64_t> size_from_text(std::string_view text) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc{} || shift < 0 || number < 0 || number > std::int64_t{1} << 20) return std::nullopt;
  return number << shift;
}

}  // namespace

void read_log(const toml::table* table, ConfigReport report, LogSettings& log) {
  TableReader reader(table, "log", report);
  std::string size = "10M";
  reader.path("file", log.file);
  reader.text("level", log.level, {"info", "warning", "error"});
  reader.text("max_size", size);
  reader.number("files", log.files, 0, 1000);
  const auto bytes = size_from_text(size);
  if (!bytes || *bytes < kLeastSize) {
    reader.mistake("max_size",
                   fmt::format("\"{}\" is not a size; expected one such as 64K, 10M or 1G, at least 4K", size));
  } else {
    log.max_size = *bytes;
  }
}

}  // namespace parityd::agent
