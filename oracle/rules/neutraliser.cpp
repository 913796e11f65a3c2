#include "oracle/rules/neutraliser.h"

#include <re2/re2.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

namespace parityd::oracle {
namespace {

constexpr std::array<std::string_view, 3> kPassGroups{"pre_grad", "joint_graph", "post_grad"};
constexpr std::string_view kTogether = "; ";
constexpr std::size_t kMostShown = 4;

struct Settings {
  std::string_view prefix;
  std::string_view module;
};
constexpr std::array<Settings, 3> kSettings{{{"inductor.", "torch._inductor.config."},
                                             {"functorch.", "torch._functorch.config."},
                                             {"dynamo.", "torch._dynamo.config."}}};
constexpr std::string_view kCompile = "compile.";

bool is_setting(std::string_view name) {
  return name.starts_with(kCompile) || std::ranges::any_of(kSettings, [&](const auto& settings) {
           return name.starts_with(settings.prefix) && name.size() > settings.prefix.size();
         });
}

/// A JSON value as Python writes it.
std::string python_value(const std::string& text) {
  if (text == "true") return "True";
  if (text == "false") return "False";
  return text == "null" ? "None" : text;
}

/// "aten.amin.default" as "aten.amin".
std::string short_name(std::string name) {
  constexpr std::string_view kDefault = ".default";
  if (name.ends_with(kDefault)) name.erase(name.size() - kDefault.size());
  return name;
}

std::string line_of(const Neutraliser& neutraliser) {
  const bool valued = neutraliser.kind == NeutraliserKind::config;
  return std::string(name(neutraliser.kind)) + " " + neutraliser.name + (valued ? "=" + neutraliser.value : "");
}

std::optional<Neutraliser> from_line(std::string_view line) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto kind = from_name<NeutraliserKind>(line.substr(0, space));
  if (!kind) return std::nullopt;
  Neutraliser found{*kind, std::string(line.substr(space + 1))};
  if (found.kind == NeutraliserKind::config) {
    const auto equals = found.name.find('=');
    if (equals == std::string::npos) return std::nullopt;
    found.value = found.name.substr(equals + 1);
    found.name.resize(equals);
    if (!is_setting(found.name) || !nlohmann::json::accept(found.value)) return std::nullopt;
  }
  if (found.kind == NeutraliserKind::pass_group && std::ranges::find(kPassGroups, found.name) == kPassGroups.end())
    return std::nullopt;
  const bool is_partition = found.name == kWrittenInputs || found.name == kNothingRecomputed;
  if (found.kind == NeutraliserKind::partition && !is_partition) return std::nullopt;
  if (found.kind == NeutraliserKind::guards && found.name != kEveryCall) return std::nullopt;
  const bool is_graph = found.name == kForwardGraph || found.name == kBackwardGraph;
  if (found.kind == NeutraliserKind::graph && !is_graph) return std::nullopt;
  return found.name.empty() ? std::nullopt : std::optional(std::move(found));
}

/// Operators that programs call by another name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCalled{
    {{"rev", "flip"}, {"to_copy", "to"}, {"convert_element_type", "to"}, {"iota", "arange"}}};

/// What a program calls to reach the operator: "softmax" for "aten._softmax.default", "hardswish" for its backward
/// operator, "flip" for "prims.rev.default".
std::string called_name(std::string_view name) {
  constexpr std::string_view kBackward = "_backward";
  name.remove_prefix(name.find('.') + 1);
  name = name.substr(0, name.find('.'));
  if (name.ends_with(kBackward)) name.remove_suffix(kBackward.size());
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  const auto* const other = std::ranges::find(kCalled, name, &std::pair<std::string_view, std::string_view>::first);
  return std::string(other == kCalled.end() ? name : other->second);
}

/// `index_add` becomes index_put: a program may not contain the operator's own name; the text then mentions that.
std::string around_the_call(const std::string& name, std::string_view program) {
  const std::string called = called_name(name);
  const bool is_called = RE2::PartialMatch(program, "\\b" + RE2::QuoteMeta(called) + "_?\\b");
  return "call " + std::string(is_called ? "" : "the code that becomes ") + called +
         " in a function decorated with @torch.compiler.disable";
}

/// In the user's syntax: "torch._inductor.config.max_fusion_size = 1", "torch.compile(model, dynamic=False)".
std::optional<std::string> written(const Neutraliser& setting) {
  const std::string value = python_value(setting.value);
  if (setting.name.starts_with(kCompile))
    return "torch.compile(model, " + setting.name.substr(kCompile.size()) + "=" + value + ")";
  for (const auto& settings : kSettings) {
    if (setting.name.starts_with(settings.prefix))
      return std::string(settings.module) + setting.name.substr(settings.prefix.size()) + " = " + value;
  }
  return std::nullopt;
}

}  // namespace

std::string text(const Neutraliser& neutraliser) {
  switch (neutraliser.kind) {
    case NeutraliserKind::config:
      return written(neutraliser).value_or(neutraliser.name);
    case NeutraliserKind::pass_group: {
      std::string group = neutraliser.name;
      std::ranges::replace(group, '_', '-');
      return group + " passes disabled";
    }
    case NeutraliserKind::lowering:
      return "lowering of " + short_name(neutraliser.name) + " replaced by the eager kernel";
    case NeutraliserKind::decomposition:
      return "decomposition of " + short_name(neutraliser.name) + " replaced by the eager kernel";
    case NeutraliserKind::partition:
      return neutraliser.name == kWrittenInputs ? "copies of inputs that forward writes in place saved for backward"
                                                : "recomputation in backward disabled";
    case NeutraliserKind::graph:
      return neutraliser.name + " graphs run by eager kernels";
    case NeutraliserKind::guards:
      return "recompilation for each call";
  }
  return {};
}

std::string text(const std::vector<Neutraliser>& together) {
  if (together.empty()) return "no change";
  const std::size_t shown = together.size() > kMostShown + 1 ? kMostShown : together.size();
  std::string all;
  for (std::size_t i = 0; i < shown; ++i) all += (all.empty() ? "" : " and ") + text(together[i]);
  return shown == together.size() ? all : all + " and " + std::to_string(together.size() - shown) + " more";
}

std::string line(const std::vector<Neutraliser>& together) {
  std::string all;
  for (const auto& one : together) all += (all.empty() ? "" : std::string(kTogether)) + line_of(one);
  return all;
}

std::optional<std::vector<Neutraliser>> neutralisers_from_line(std::string_view line) {
  std::vector<Neutraliser> found;
  while (!line.empty()) {
    const auto end = line.find(kTogether);
    auto one = from_line(line.substr(0, end));
    if (!one) return std::nullopt;
    found.push_back(std::move(*one));
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + kTogether.size());
  }
  return found;
}

std::optional<Workaround> workaround(const Neutraliser& neutraliser, std::string_view torch, std::string_view program) {
  switch (neutraliser.kind) {
    case NeutraliserKind::config: {
      const auto python = written(neutraliser);
      return python ? std::optional(Workaround{*python, ""}) : std::nullopt;
    }
    case NeutraliserKind::pass_group:
      if (!is_at_least(torch, 2, 10)) return std::nullopt;  // earlier versions have no such setting
      return Workaround{"torch._inductor.config.use_" + neutraliser.name + "_passes = False",
                        "disables the whole group"};
    case NeutraliserKind::lowering:
    case NeutraliserKind::decomposition:
      return Workaround{around_the_call(neutraliser.name, program),
                        "not tested; causes a graph break, so it does not work with fullgraph=True. No setting "
                        "disables a single operator"};
    case NeutraliserKind::partition:
    case NeutraliserKind::graph:
      return std::nullopt;
    case NeutraliserKind::guards:
      return Workaround{"torch._dynamo.reset()", "before each call"};
  }
  return std::nullopt;
}

bool is_at_least(std::string_view torch, int major, int minor) {
  int has_major = 0;
  int has_minor = 0;
  const char* const end = torch.data() + torch.size();
  const auto first = std::from_chars(torch.data(), end, has_major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') return false;
  if (std::from_chars(first.ptr + 1, end, has_minor).ec != std::errc()) return false;
  return has_major != major ? has_major > major : has_minor >= minor;
}

void to_json(nlohmann::json& json, const Neutraliser& neutraliser) {
  json = {{"kind", name(neutraliser.kind)}, {"name", neutraliser.name}};
  if (neutraliser.kind == NeutraliserKind::config) json["value"] = nlohmann::json::parse(neutraliser.value);
}

}  // namespace parityd::oracle
