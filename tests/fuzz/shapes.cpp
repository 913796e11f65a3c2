#include "tests/fuzz/shapes.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace parityd::fuzz {
namespace {

using nlohmann::json;

constexpr std::string_view kBlankLine = "\r\n\r\n";
constexpr int kDeepNesting = 80;  // the agent takes 64 levels

std::size_t below(std::size_t limit, std::mt19937& random) { return limit == 0 ? 0 : random() % limit; }

// ---- lines

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

/// Where the value of a `key = value` or `name: value` line begins; its end where it is none.
std::size_t value_of(const std::string& line) {
  const std::size_t mark = line.find_first_of("=:");
  return mark == std::string::npos ? line.size() : mark + 1;
}

constexpr std::array<std::string_view, 14> kValues{" -1",
                                                   " 1e999",
                                                   " 9223372036854775808",
                                                   " nan",
                                                   " []",
                                                   " {}",
                                                   " \"\"",
                                                   " true",
                                                   " 0",
                                                   " [[],[1]]",
                                                   " \"x",
                                                   " 1979-05-27T07:32:00Z",
                                                   "",
                                                   " {a={b={c=[{d=1}]}}}"};

std::string lines_changed(std::string_view text, std::string_view other, std::mt19937& random) {
  std::vector<std::string> lines = lines_of(text);
  const std::vector<std::string> others = lines_of(other);
  if (lines.empty() || others.empty()) {
    return std::string(other);
  }
  const std::size_t at = below(lines.size(), random);
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
  const std::string& donor = others[below(others.size(), random)];
  switch (below(8, random)) {
    case 0:
      lines.erase(place);
      break;
    case 1:
      lines.insert(place, std::string(*place));
      break;
    case 2:
      std::swap(*place, lines[below(lines.size(), random)]);
      break;
    case 3:
      lines.insert(place, donor);
      break;
    case 4:
      *place = place->substr(0, value_of(*place)) + donor.substr(value_of(donor));
      break;
    case 5:
      *place = place->substr(0, value_of(*place)) + std::string(kValues[below(kValues.size(), random)]);
      break;
    case 6:
      place->insert(0, std::string(below(6, random), ' '));
      break;
    default:  // the rest of another text
      lines.erase(place, lines.end());
      lines.insert(lines.end(), others.begin() + static_cast<std::ptrdiff_t>(below(others.size(), random)),
                   others.end());
  }
  return joined(lines);
}

// ---- JSON

/// All values inside, the whole first.
void append_values(json& value, std::vector<json*>& all) {
  all.push_back(&value);
  if (value.is_structured()) {
    for (auto& child : value) {
      append_values(child, all);
    }
  }
}

json nested(json value) {
  for (int level = 0; level < kDeepNesting; ++level) {
    value = json::array({std::move(value)});
  }
  return value;
}

json hostile_value(std::mt19937& random) {
  static const std::array<json, 16> kHostile{nullptr,
                                             true,
                                             "",
                                             -1,
                                             0,
                                             9223372036854775807,
                                             18446744073709551615U,
                                             1e300,
                                             -0.5,
                                             json::array(),
                                             json::object(),
                                             "\x1b[31m@someone \xE2\x80\xAE",
                                             std::string(5000, 'x'),
                                             "```python\nclass Model(torch.nn.Module):",
                                             "qk7-Zr93-the-key-Wd5f",
                                             json::array({nullptr, "text", 3})};
  return kHostile[below(kHostile.size(), random)];
}

void change_value(json& chosen, const json& other, std::mt19937& random) {
  switch (below(6, random)) {
    case 0:
      chosen = nested(std::move(chosen));
      break;
    case 1:
      chosen = other;
      break;
    case 2:
      if (chosen.is_structured() && !chosen.empty()) {
        auto child = chosen.begin();
        std::advance(child, static_cast<std::ptrdiff_t>(below(chosen.size(), random)));
        chosen.erase(child);
      }
      break;
    case 3:
      if (chosen.is_array() && !chosen.empty()) {
        chosen.push_back(json(chosen[below(chosen.size(), random)]));
      } else if (chosen.is_object()) {
        chosen["error"] = other;
      }
      break;
    default:
      chosen = hostile_value(random);
  }
}

/// Nothing where there is no JSON.
std::string value_changed(std::string_view text, std::mt19937& random) {
  json whole = json::parse(text, nullptr, false);
  if (whole.is_discarded()) {
    return {};
  }
  std::vector<json*> values;
  append_values(whole, values);
  const json other = *values[below(values.size(), random)];
  change_value(*values[below(values.size(), random)], other, random);
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_changed(std::string_view text, std::string_view other, std::mt19937& random) {
  if (std::string changed = value_changed(text, random); !changed.empty()) {
    return changed;
  }
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty() || below(3, random) == 0) {
    return lines_changed(text, other, random);
  }
  std::string& line = lines[below(lines.size(), random)];
  if (const std::string changed = value_changed(line, random); !changed.empty()) {
    line = changed;
  }
  return joined(lines);
}

// ---- HTTP answers

/// The length that its head names becomes that of its body; a head without one gets none.
std::string with_right_length(std::string head, const std::string& body) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  if (at != std::string::npos) {
    const std::size_t from = at + kName.size();
    head.replace(from, std::min(head.find('\r', from), head.size()) - from, std::to_string(body.size()));
  }
  return head + std::string(kBlankLine) + body;
}

std::string answer_changed(std::string_view text, std::string_view other, std::mt19937& random) {
  const auto parts = [](std::string_view answer) {
    const std::size_t end = std::min(answer.find(kBlankLine), answer.size());
    return std::pair(answer.substr(0, end), answer.substr(std::min(end + kBlankLine.size(), answer.size())));
  };
  const auto [head, body] = parts(text);
  const auto [other_head, other_body] = parts(other);
  std::string new_head(head);
  std::string new_body(body);
  switch (below(4, random)) {
    case 0:
      new_head = lines_changed(head, other_head, random);
      new_head.resize(new_head.find_last_not_of("\r\n") + 1);
      break;
    case 1:
      new_head = other_head;
      break;
    default:
      new_body = json_changed(body, other_body, random);
  }
  return below(4, random) == 0 ? new_head + std::string(kBlankLine) + new_body : with_right_length(new_head, new_body);
}

}  // namespace

std::string reshaped(Shape shape, std::string_view text, std::string_view other, std::mt19937& random) {
  switch (shape) {
    case Shape::lines:
      return lines_changed(text, other, random);
    case Shape::json:
      return json_changed(text, other, random);
    case Shape::answer:
      return answer_changed(text, other, random);
  }
  return std::string(text);
}

}  // namespace parityd::fuzz
