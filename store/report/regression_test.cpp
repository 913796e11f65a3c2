// The regression test of a finding: the program, what runs it eager and compiled, and one TestCase.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "store/base/text.h"
#include "store/report/repro_parts.h"

namespace parityd::store {
namespace {

/// PyTorch's suite names tests after what they try: "test_max_dim_numerical".
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

/// Eager's exception where Python knows its name; any exception otherwise.
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

std::string render_regression_test(const DraftFacts& facts) {
  const std::string program = repro_program(facts);
  Fields fields = script_fields(facts, program);
  const bool imports_more = std::ranges::any_of(std::array{"random", "in_child", "cuda"},
                                                [&](auto name) { return fields.get(name)->is_true(); });
  set_texts(fields, {{"backend", "\"inductor\""},
                     {"finding", std::to_string(facts.finding.id)},
                     {"test_name", test_name(facts)},
                     {"line_end", imports_more ? "\n" : ""},
                     {"eager_error", eager_error(facts)}});
  return fmt::format(
      "# Owner(s): [\"oncall: pt2\"]\n"
      "# Fails while the bug is there. Seen with torch {} on {}: {}\n"
      "{}\n{}\n\n\n{}",
      clean_line(facts.finding.torch), facts.finding.device == "cuda" ? "cuda" : "cpu",
      shortened(clean_line(facts.finding.explanation), 160), script("regression_imports", fields), program,
      without_clashes(script("regression_test", fields), program));
}

}  // namespace parityd::store
