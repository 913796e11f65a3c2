// What a program keeps in globals of its module: eager's run leaves it to the compiled one, unless each starts anew.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "store/report/repro_parts.h"

namespace parityd::store {
namespace {

/// A copy cannot start functions and classes anew, nor what forward alone makes.
bool is_assigned(const std::string& name, const std::string& program) {
  return RE2::PartialMatch(program, fmt::format(R"((?m)^{}\s*(?::[^=\n]*)?=[^=])", name));
}

/// Assigned to, in whole or in part, or changed by a method, in a line of some function.
bool is_changed(const std::string& name, const std::string& program) {
  const std::string place = fmt::format(R"(\b{}\b(?:\[[^\]\n]*\]|\.\w+)*)", name);
  constexpr const char* kAssigned = R"(\s*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=[^=])";
  constexpr const char* kMethods = R"(\.(?:append|appendleft|extend|insert|add|update|setdefault|pop|clear|\w+_)\()";
  return RE2::PartialMatch(program, "(?m)^[ \t]+(?:[^\n]*[;:] *)?" + place + "(?:" + kAssigned + "|" + kMethods + ")");
}

/// What a run returns may lie in a global, too, where the next one goes on from it.
void add_changed(const DraftFacts& facts, std::vector<std::string>& names) {
  static const RE2 kAssigned(R"((?m)^([A-Za-z_]\w*)\s*(?::[^=\n]*)?=[^=])");
  const std::string& program = facts.finding.reduced;
  re2::StringPiece rest(program);
  for (std::string name; RE2::FindAndConsume(&rest, kAssigned, &name);) {
    const bool counts = name != "OPTIONS" && is_changed(name, program);
    if (counts && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

}  // namespace

std::vector<std::string> globals_reported(const DraftFacts& facts) {
  static const RE2 kGlobal(R"(global\.([A-Za-z_]\w*).*)", RE2::Latin1);
  std::vector<std::string> names;
  for (const EvidenceRow& round : facts.rounds) {
    for (const std::string& leaf : round.verdict.leaves) {
      std::string name;
      const bool counts = RE2::FullMatch(leaf, kGlobal, &name) && is_assigned(name, facts.finding.reduced);
      if (counts && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  const oracle::Kind kind = facts.finding.kind;
  if (!oracle::fails(kind) && kind != oracle::Kind::missing_check) add_changed(facts, names);
  return names;
}

}  // namespace parityd::store
