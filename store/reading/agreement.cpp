#include "store/reading/agreement.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "store/base/operator_names.h"
#include "store/base/text.h"
#include "store/reading/sources.h"

namespace parityd::store {
namespace {

using oracle::Neutraliser;
using oracle::NeutraliserKind;

/// Areas (executor/syntax/sources/areas.py) that run only in the last stage.
constexpr std::array<std::string_view, 7> kOfInductor{
    "lowerings", "graph passes", "code generation", kGpuCode, "kernel templates", "scheduler", "IR"};
constexpr std::string_view kGraphPasses = "graph passes";
constexpr std::string_view kPassesFolder = "_inductor/fx_passes/";
constexpr std::array<std::string_view, 3> kPassGroups{"pre_grad", "joint_graph", "post_grad"};
constexpr std::string_view kPartitioner = "_functorch/partitioners.py";

std::string_view last_part(std::string_view text, char separator) { return text.substr(text.rfind(separator) + 1); }

Agreement answer(bool agrees) { return agrees ? Agreement::agrees : Agreement::disagrees; }

bool holds(const SourceUnitRow& unit, int line) {
  return line >= unit.first_line && line < unit.first_line + std::max<std::int64_t>(1, unit.lines);
}

/// "CppOverrides.floor" is about floor, and so is what is registered for aten.floor.
bool is_about(const SourceUnitRow& unit, const std::string& operator_name) {
  const std::string family = operator_family(operator_name);
  return operator_family(last_part(unit.name, '.')) == family ||
         std::ranges::any_of(unit.operators, [&](const auto& each) { return operator_family(each) == family; });
}

Agreement with_operator(const SourceUnitRow& unit, const std::string& operator_name) {
  if (is_about(unit, operator_name)) return Agreement::agrees;
  return unit.operators.empty() ? Agreement::unknown : Agreement::disagrees;
}

Agreement with_passes(const SourceUnitRow& unit, const std::string& group) {
  if (unit.area != kGraphPasses) return Agreement::disagrees;
  for (const auto each : kPassGroups) {
    if (unit.file == std::string(kPassesFolder).append(each) + ".py") return answer(each == group);
  }
  return Agreement::unknown;
}

/// Code reads "inductor.cpp.simdlen" as config.cpp.simdlen.
Agreement with_setting(const SourceUnitRow& unit, const std::string& setting) {
  const std::string read = "config" + setting.substr(std::min(setting.find('.'), setting.size()));
  const bool reads = RE2::PartialMatch(unit.text, "\\b" + RE2::QuoteMeta(read) + "\\b");
  return reads ? Agreement::agrees : Agreement::unknown;
}

Agreement with(const SourceUnitRow& unit, const Neutraliser& neutraliser) {
  switch (neutraliser.kind) {
    case NeutraliserKind::config:
      return with_setting(unit, neutraliser.name);
    case NeutraliserKind::pass_group:
      return with_passes(unit, neutraliser.name);
    case NeutraliserKind::lowering:
    case NeutraliserKind::decomposition:
      return with_operator(unit, neutraliser.name);
    case NeutraliserKind::partition:
      return unit.file == kPartitioner ? Agreement::agrees : Agreement::unknown;
    case NeutraliserKind::graph:
    case NeutraliserKind::guards:
      return Agreement::unknown;
  }
  return Agreement::unknown;
}

/// Agreement with one of those that only work together is enough.
Agreement with_all(const SourceUnitRow& unit, const std::vector<Neutraliser>& neutralisers) {
  if (neutralisers.empty()) return Agreement::unknown;
  const auto is = [&](Agreement answer) {
    return [&unit, answer](const auto& each) { return with(unit, each) == answer; };
  };
  if (std::ranges::any_of(neutralisers, is(Agreement::agrees))) return Agreement::agrees;
  return std::ranges::all_of(neutralisers, is(Agreement::disagrees)) ? Agreement::disagrees : Agreement::unknown;
}

bool raised_in_file(const SourceUnitRow& unit, const Blame& blame) {
  const std::string_view frame = blame.compiler_frame;
  return frame.substr(0, frame.find(':')) == last_part(unit.file, '/') &&
         blame.traceback.find("torch/" + unit.file) != std::string::npos;
}

}  // namespace

std::optional<SourcePlace> place_named(const std::string& hypothesis) {
  static const RE2 kPlace(R"(^[\s`*"']*(?:torch/)?([\w/.\-]+\.py)[`*]*\s*:\s*[`*]*([\w.<>]+)(?:\(\))?[`*]*\s*:\s*)"
                          R"([`*]*(?:[Ll](?:ines?)?\s*)?(\d{1,7})\b)");
  SourcePlace place;
  if (!RE2::PartialMatch(hypothesis, kPlace, &place.file, &place.function, &place.line)) return std::nullopt;
  return place;
}

const SourceUnitRow* unit_at(const SourcePlace& place, const std::vector<SourceUnitRow>& units) {
  const auto at = std::ranges::find_if(units, [&](const auto& unit) { return holds(unit, place.line); });
  if (at == units.end()) return nullptr;
  const auto called = [&](const auto& unit) {
    return unit.name == place.function || last_part(unit.name, '.') == last_part(place.function, '.');
  };
  // A function inside the unit has its own name.
  return called(*at) || std::ranges::none_of(units, called) ? &*at : nullptr;
}

Agreement agreement(const SourceUnitRow& unit, const Blame& blame) {
  if (!is_of_compiler(unit.area)) return Agreement::unknown;
  const bool only_later = std::ranges::find(kOfInductor, unit.area) != kOfInductor.end();
  if (only_later && blame.stage != oracle::Stage::inductor) return Agreement::disagrees;
  const bool in_file = raised_in_file(unit, blame);
  if (in_file && last_part(blame.compiler_frame, ':') == last_part(unit.name, '.')) return Agreement::agrees;
  const Agreement vanishing = with_all(unit, blame.neutralisers);
  return vanishing == Agreement::unknown && in_file ? Agreement::agrees : vanishing;
}

}  // namespace parityd::store
