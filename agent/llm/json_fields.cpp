#include "agent/llm/json_fields.h"

#include <algorithm>
#include <utility>

#include "oracle/json_read.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kMessageCap = 300;

/// Nested deeper than any API's answer. The parser copes, but copying or dumping the result would exhaust the stack.
bool too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      at += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

json parse_body(std::string_view text) {
  return too_deep(text) ? json(json::value_t::discarded) : oracle::parsed(text);
}

const json& field(const json& object, const char* key) {
  static const json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
}

std::int64_t count_of(const json& value) {
  constexpr double kMost = 1e9;
  const double number = value.is_number() ? value.get<double>() : 0;
  return number >= 0 && number <= kMost ? static_cast<std::int64_t>(number) : 0;
}

std::string one_line(std::string text) {
  text = json::parse(oracle::compact(json(text))).get<std::string>();
  if (text.size() > kMessageCap) {
    auto end = kMessageCap - 3;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;  // do not cut inside a character
    }
    text.resize(end);
    text += "...";
  }
  return oracle::one_line(std::move(text));
}

}  // namespace parityd::agent
