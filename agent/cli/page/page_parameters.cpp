#include "agent/cli/page/page_parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "agent/duration.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

constexpr int kUsualFindings = 200;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string parameter(const PageRequest& request, const char* name) {
  const auto found = request.parameters.find(name);
  if (found == request.parameters.end()) return "";
  if (found->second.find('\0') != std::string::npos) {  // SQLite's full-text search would end there
    throw PageMistake(400, fmt::format("{}: holds a zero byte", name));
  }
  return found->second;
}

std::int64_t number_parameter(const PageRequest& request, const char* name, std::int64_t usual, std::int64_t least,
                              std::int64_t most) {
  const std::string text = parameter(request, name);
  if (text.empty()) return usual;
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) {
    throw PageMistake(400, fmt::format("{}: expected a number from {} to {}", name, least, most));
  }
  return *value;
}

store::FindingFilter finding_filter(const PageRequest& request, store::Millis now) {
  store::FindingFilter filter{.kind = parameter(request, "kind"),
                              .stage = parameter(request, "stage"),
                              .status = parameter(request, "status"),
                              .reach = parameter(request, "reach"),
                              .device = parameter(request, "device"),
                              .disposition = parameter(request, "disposition"),
                              .operator_name = parameter(request, "operator"),
                              .dtype = parameter(request, "dtype"),
                              .torch = parameter(request, "torch"),
                              .text = parameter(request, "search")};
  filter.limit = static_cast<int>(number_parameter(request, "limit", kUsualFindings, 1, 10'000));
  if (const std::string text = parameter(request, "since"); !text.empty()) {
    const auto since = parse_since(text, now);
    if (!since) throw PageMistake(400, "since: expected a span such as 12h or 7d, or a day such as 2026-03-02 (UTC)");
    filter.since = *since;
  }
  return filter;
}

std::optional<store::Id> id_after(std::string_view start, std::string_view path) {
  return path.starts_with(start) ? whole_number(path.substr(start.size())) : std::nullopt;
}

PageAnswer json_answer(const nlohmann::json& json, int status) {
  return {.status = status, .body = oracle::compact(json)};
}

}  // namespace parityd::agent
