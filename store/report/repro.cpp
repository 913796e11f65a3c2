// The repro script: the program, then only the lines that its options need. A maintainer reads it before running it.

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "oracle/device.h"
#include "store/base/text.h"
#include "store/report/draft.h"
#include "store/report/repro_parts.h"

namespace parityd::store {
namespace {

/// Only assigned globals can be compared: a copy cannot reset functions, classes or what only forward creates.
bool is_assigned(const std::string& name, const std::string& program) {
  return RE2::PartialMatch(program, fmt::format(R"((?m)^{}\s*(?::[^=\n]*)?=[^=])", name));
}

/// Whether a line of some function assigns to it, in whole or in part, or changes it by a method.
bool is_changed(const std::string& name, const std::string& program) {
  const std::string place = fmt::format(R"(\b{}\b(?:\[[^\]\n]*\]|\.\w+)*)", name);
  constexpr const char* kAssigned = R"(\s*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=[^=])";
  constexpr const char* kMethods = R"(\.(?:append|appendleft|extend|insert|add|update|setdefault|pop|clear|\w+_)\()";
  return RE2::PartialMatch(program, "(?m)^[ \t]+(?:[^\n]*[;:] *)?" + place + "(?:" + kAssigned + "|" + kMethods + ")");
}

/// A run may return an object that a global holds, too, and the next run continues from it.
void add_changed(const DraftFacts& facts, std::vector<std::string>& names) {
  static const RE2 kAssigned(R"((?m)^([A-Za-z_]\w*)\s*(?::[^=\n]*)?=[^=])");
  const std::string& program = facts.finding.reduced;
  re2::StringPiece rest(program);
  for (std::string name; RE2::FindAndConsume(&rest, kAssigned, &name);) {
    const bool counts = name != "OPTIONS" && is_changed(name, program);
    if (counts && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

/// PyTorch's suite names tests after what they test: "test_max_dim_numerical".
std::string test_name(const DraftFacts& facts) {
  std::string words;
  for (const std::string& whole : facts.finding.operators) {
    const std::string name = whole.substr(whole.starts_with("aten.") ? 5 : 0);
    words += "_" + name.substr(0, name.find('.'));
    if (words.size() > 40) break;
  }
  for (char& character : words) {
    if (std::isalnum(static_cast<unsigned char>(character)) == 0) character = '_';
  }
  return fmt::format("test{}_{}", words, oracle::name(facts.finding.kind));
}

/// Eager's exception if Python knows its name; any exception otherwise.
std::string eager_error(const DraftFacts& facts) {
  static constexpr std::array<std::string_view, 6> kBuiltin{"RuntimeError", "ValueError",     "IndexError",
                                                            "TypeError",    "AssertionError", "NotImplementedError"};
  for (const EvidenceRow& round : facts.rounds) {
    const auto* eager = round.evidence.outcome(oracle::Mode::eager);
    if (eager == nullptr || !eager->error) continue;
    for (const std::string_view name : kBuiltin) {
      if (eager->error->inner_class == name) return std::string(name);
    }
  }
  return "Exception";
}

}  // namespace

std::string render_repro(const DraftFacts& facts) {
  const std::string program = repro_program(facts);
  Fields fields = script_fields(facts, program,
                                "sys.argv[1] if len(sys.argv) > 1 else \"inductor\""
                                "  # also: eager, aot_eager, aot_eager_decomp_partition");
  return fmt::format(
      "# Needs only torch. Seen with torch {} on {}. Exit code: 0 reproduced, 1 not reproduced, 2 cannot tell.\n"
      "{}\n\n\n"
      "# ---- The program ends here; the rest runs it in eager mode and compiled.\n"
      "{}",
      clean_line(facts.finding.torch), name(oracle::device_named(facts.finding.device)), program,
      without_clashes(script("repro", std::move(fields)), program));
}

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

std::string render_regression_test(const DraftFacts& facts) {
  const std::string program = repro_program(facts);
  Fields fields = script_fields(facts, program, "\"inductor\"");
  const bool imports_more = std::ranges::any_of(std::array{"random", "in_child", "cuda"},
                                                [&](auto name) { return fields.get(name)->is_true(); });
  set_texts(fields, {{"finding", std::to_string(facts.finding.id)},
                     {"test_name", test_name(facts)},
                     {"line_end", imports_more ? "\n" : ""},
                     {"eager_error", eager_error(facts)}});
  return fmt::format(
      "# Owner(s): [\"oncall: pt2\"]\n"
      "# Fails as long as the bug exists. Seen with torch {} on {}: {}\n"
      "{}\n{}\n\n\n{}",
      clean_line(facts.finding.torch), name(oracle::device_named(facts.finding.device)),
      shortened(clean_line(facts.finding.explanation), 160), script("regression_imports", fields), program,
      without_clashes(script("regression_test", fields), program));
}

}  // namespace parityd::store
