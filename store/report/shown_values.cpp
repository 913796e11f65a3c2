#include "store/report/shown_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "oracle/rules/message.h"
#include "store/base/text.h"
#include "store/report/draft_parts.h"

namespace parityd::store {
namespace {

using oracle::Dtype;
using oracle::LeafMeasurement;

/// Whether the part of a path after the leaf's root is plain Python: a key that a program chose may be anything.
bool is_plain_suffix(const std::string& suffix) {
  static const RE2 kPlain(R"((?:\[\d+\]|\['[A-Za-z0-9_]+'\]|\.[A-Za-z_]\w*(?:\(\))?)*)", RE2::Latin1);
  return RE2::FullMatch(suffix, kPlain);
}

/// "weight" → "model.weight"; "layers.0.weight" → "model.get_submodule('layers.0').weight".
std::string of_model(const std::string& name) {
  static const RE2 kNames(R"([A-Za-z_]\w*(?:\.\w+)*|\d+(?:\.\w+)+)", RE2::Latin1);
  static const RE2 kNumbered(R"((?:^|\.)\d)", RE2::Latin1);
  if (!RE2::FullMatch(name, kNames)) return "";
  if (!RE2::PartialMatch(name, kNumbered)) return "model." + name;
  const std::size_t dot = name.rfind('.');
  return fmt::format("model.get_submodule('{}').{}", name.substr(0, dot), name.substr(dot + 1));
}

/// "history[0]" → "model.history[0]".
std::string kept_by_model(const std::string& path) {
  const std::size_t end = std::min(path.find('['), path.size());
  const std::string holder = of_model(path.substr(0, end));
  return holder.empty() || !is_plain_suffix(path.substr(end)) ? "" : holder + path.substr(end);
}

/// "SEEN['sum']", unchanged.
std::string of_program(const std::string& path) {
  static const RE2 kName(R"([A-Za-z_]\w*)", RE2::Latin1);
  const std::size_t end = std::min(path.find_first_of("[."), path.size());
  return RE2::FullMatch(path.substr(0, end), kName) && is_plain_suffix(path.substr(end)) ? path : "";
}

/// The element as a Python number; a leaf without dimensions may be one already.
std::string element_of(const std::string& leaf, const LeafMeasurement& measured) {
  if (!measured.worst->index.empty()) return fmt::format("{}[{}].item()", leaf, fmt::join(measured.worst->index, ", "));
  if (measured.dtype == Dtype::boolean) return fmt::format("bool({})", leaf);
  if (oracle::is_exact(measured.dtype)) return fmt::format("int({})", leaf);
  return fmt::format("{}({})", oracle::is_complex(measured.dtype) ? "complex" : "float", leaf);
}

/// A missing gradient counts as zero: there `.grad` may be None.
std::string gradient_or_zero(const std::string& gradient) {
  const std::string tensor = gradient.substr(0, gradient.size() - std::string_view(".grad").size());
  return fmt::format("(torch.zeros_like({0}) if {0}.grad is None else {0}.grad)", tensor);
}

void show_element(const LeafMeasurement& leaf, std::string place, ShownValue& value) {
  const auto is_zero = [](const std::string& text) { return text == "0.0" || text == "-0.0"; };
  value.label = leaf.path;
  if (!leaf.worst->index.empty()) value.label += fmt::format("[{}]", fmt::join(leaf.worst->index, ", "));
  value.eager = leaf.worst->eager;
  value.compiled = leaf.worst->compiled;
  value.reference = leaf.worst->reference;
  if (place.empty()) return;
  if (place.ends_with(".grad") && (is_zero(value.eager) || is_zero(value.compiled))) place = gradient_or_zero(place);
  value.expression = element_of(place, leaf);
}

/// "[2, 3]" as a Python tuple.
std::string tuple_of(const std::string& list) {
  const std::string inside = list.substr(1, list.size() - 2);
  const bool one = !inside.empty() && inside.find(',') == std::string::npos;
  return "(" + inside + (one ? ",)" : ")");
}

struct Property {
  const char* name;    // in a leaf's detail, before "… vs …"
  const char* side;    // the pattern of either side
  const char* before;  // Python before and after the leaf
  const char* after;
  const char* label;
  bool list = false;
  const char* prefix = "";  // of the printed text
};
constexpr std::array<Property, 5> kProperties{
    {{"type", R"(\w+)", "type(", ").__name__", " (type)"},
     {"dtype", R"(\w+)", "", ".dtype", ".dtype", false, "torch."},
     {"shape", R"(\[[\d, ]*\])", "tuple(", ".shape)", ".shape", true},
     {"stride", R"(\[[\d, ]*\])", "", ".stride()", ".stride()", true},
     {"requires_grad", "True|False", "", ".requires_grad", ".requires_grad"}}};

/// The values of both sides, if the detail names the property.
std::optional<std::array<std::string, 2>> both_sides(const std::string& detail, const Property& property) {
  static const auto kPatterns = [] {
    std::map<std::string_view, std::unique_ptr<RE2>> patterns;
    for (const auto& each : kProperties) {
      const auto pattern = fmt::format("(?:^|; ){0} ({1}) vs ({1})(?:;|$)", each.name, each.side);
      patterns.emplace(each.name, std::make_unique<RE2>(pattern, RE2::Latin1));
    }
    return patterns;
  }();
  std::array<std::string, 2> found;
  return RE2::PartialMatch(detail, *kPatterns.at(property.name), &found[0], &found[1]) ? std::optional(found)
                                                                                       : std::nullopt;
}

bool show_property(const LeafMeasurement& leaf, const std::string& place, ShownValue& value) {
  for (const Property& property : kProperties) {
    const auto found = both_sides(leaf.detail, property);
    if (!found) continue;
    const auto printed = [&](const std::string& text) {
      return property.prefix + (property.list ? tuple_of(text) : text);
    };
    value.label = leaf.path + property.label;
    value.eager = printed(found->front());
    value.compiled = printed(found->back());
    if (!place.empty()) value.expression = property.before + place + property.after;
    return true;
  }
  return false;
}

/// The first path that is on only one side of "shares memory with A, B vs C".
void show_sharing(const LeafMeasurement& leaf, const std::string& place, ShownValue& value) {
  static const RE2 kShares(R"((?:^|; )shares memory with (.*) vs (.*)$)", RE2::Latin1);
  static const RE2 kPath(R"(([a-z_]+[^, ]*))", RE2::Latin1);
  std::string with_eager, with_compiled;
  if (!RE2::PartialMatch(leaf.detail, kShares, &with_eager, &with_compiled)) return;
  const std::string eager = ", " + with_eager + ",", compiled = ", " + with_compiled + ",";
  const std::string all = eager + compiled;
  re2::StringPiece rest(all);
  for (std::string partner; RE2::FindAndConsume(&rest, kPath, &partner);) {
    const bool in_eager = eager.find(", " + partner + ",") != std::string::npos;
    const bool in_compiled = compiled.find(", " + partner + ",") != std::string::npos;
    const std::string other = partner == "nothing" ? "" : reached(partner);
    if (in_eager == in_compiled || other.empty()) continue;
    value.label = fmt::format("{} shares memory with {}", leaf.path, partner);
    value.eager = in_eager ? "True" : "False";
    value.compiled = in_compiled ? "True" : "False";
    if (place.empty()) return;
    value.expression = fmt::format("{}.untyped_storage().data_ptr() == {}.untyped_storage().data_ptr()", place, other);
    return;
  }
}

ShownValue shown_value(const LeafMeasurement& leaf) {
  ShownValue value{.label = leaf.path, .dtype = std::string(oracle::name(leaf.dtype)), .detail = leaf.detail};
  const std::string place = reached(leaf.path);
  const bool facts_first = leaf.metadata_differs();
  if (facts_first && show_property(leaf, place, value)) return value;
  if (leaf.worst && !leaf.missing) {
    show_element(leaf, place, value);
  } else if (facts_first) {
    show_sharing(leaf, place, value);
  }
  return value;
}

}  // namespace

std::string reached(const std::string& path) {
  const auto after = [&](std::string_view root) { return path.substr(root.size()); };
  const auto input = [&](std::string_view root) {
    return is_plain_suffix(after(root)) ? "inputs" + after(root) : std::string();
  };
  if (path.starts_with("output")) return is_plain_suffix(after("output")) ? path : "";
  if (path.starts_with("input_after[")) return input("input_after");
  if (path.starts_with("buffer.")) return of_model(after("buffer."));
  if (path.starts_with("state.")) return kept_by_model(after("state."));
  if (path.starts_with("kept")) return is_plain_suffix(after("kept")) ? "state" + after("kept") : "";
  if (path.starts_with("parameter.")) return of_model(after("parameter."));
  if (path.starts_with("global.")) return of_program(after("global."));
  if (!path.starts_with("gradient.")) return "";
  const std::string whose =
      path.starts_with("gradient.input[") ? input("gradient.input") : of_model(after("gradient."));
  return whose.empty() ? "" : whose + ".grad";
}

std::vector<ShownValue> shown_values(const DraftFacts& facts, std::size_t limit) {
  std::vector<ShownValue> values;
  const EvidenceRow* const round = shown_round(facts);
  const auto* const measurement =
      round != nullptr ? round->evidence.measurement(oracle::Mode::eager, round->evidence.compiled) : nullptr;
  if (measurement == nullptr) return values;
  for (const std::string& path : round->verdict.leaves) {
    const LeafMeasurement* const leaf = measurement->find(path);
    if (leaf != nullptr && values.size() < limit) values.push_back(shown_value(*leaf));
  }
  return values;
}

std::string error_line(const oracle::ErrorReport& error) {
  if (const auto triton = oracle::words_of_triton(error.message)) return clean_line(*triton);
  if (const auto fake = oracle::fake_call(error.message)) return clean_line(oracle::words(*fake));
  const std::string message = oracle::without_triton_source(error.message);
  constexpr std::string_view kWrapper = "backend='";
  constexpr std::string_view kWrapped = "' raised:";
  const std::size_t wrapped = message.starts_with(kWrapper) ? message.find(kWrapped) : std::string::npos;
  const std::size_t begin =
      wrapped == std::string::npos ? 0 : message.find_first_not_of(" \n", wrapped + kWrapped.size());
  const bool has_own = wrapped != std::string::npos && begin != std::string::npos;  // "AssertionError: lowering failed"
  const std::string said = begin == std::string::npos ? "" : message.substr(begin);
  std::string line = (has_own ? "" : error.outer_class + ": ") + said.substr(0, said.find('\n'));
  line = clean_line(line);
  const bool says_nothing = line.ends_with(':');
  line.erase(line.find_last_not_of(": ") + 1);
  const std::string place = clean_line(error.compiler_frame);
  return says_nothing && !place.empty() ? line + " in " + place : line;
}

}  // namespace parityd::store
