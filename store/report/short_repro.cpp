#include "store/report/short_repro.h"

#include <re2/re2.h>

#include <algorithm>

#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/repro_parts.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::size_t kCommentLimit = 200;  // characters

/// The program without its OPTIONS, which the harness applies.
std::string without_options(const std::string& program) {
  const std::size_t start = program.starts_with("OPTIONS = {") ? 0 : program.find("\nOPTIONS = {");
  if (start == std::string::npos) return program;
  int open = 0;
  for (std::size_t at = program.find('{', start); at < program.size(); ++at) {
    open += program[at] == '{' ? 1 : program[at] == '}' ? -1 : 0;
    if (open > 0) continue;
    const std::size_t rest = program.find_first_not_of('\n', program.find('\n', at));
    const std::string before = program.substr(0, start == 0 ? 0 : start + 1);
    return rest == std::string::npos ? before.substr(0, before.find_last_not_of('\n') + 1)
                                     : before + "\n" + program.substr(rest);
  }
  return program;
}

bool returns_one_tensor(const EvidenceRow* round) {
  const auto* const measured =
      round != nullptr ? round->evidence.measurement(oracle::Mode::eager, round->evidence.compiled) : nullptr;
  if (measured == nullptr) return false;
  const auto of_output = [](const auto& leaf) { return leaf.group == oracle::LeafGroup::output; };
  return std::ranges::count_if(measured->leaves, of_output) == 1 && measured->find("output") != nullptr;
}

/// Comments with the output or error of the lines before them.
std::vector<std::string> remarks_of(const DraftFacts& facts, const std::vector<ShownValue>& values, ShortRepro& repro) {
  const Kind kind = facts.finding.kind;
  const EvidenceRow* const round = shown_round(facts);
  if (kind == Kind::missing_check || kind == Kind::behaviour) {
    const auto* const outcome =
        round == nullptr
            ? nullptr
            : round->evidence.outcome(kind == Kind::behaviour ? round->evidence.compiled : oracle::Mode::eager);
    repro.raised = outcome != nullptr && outcome->error ? error_line(*outcome->error) : "";
    return {repro.raised.empty() ? "raises" : shortened(repro.raised, kCommentLimit)};
  }
  if (oracle::fails(kind) || values.empty()) return {};
  const ShownValue& value = values.front();
  if (value.eager.empty() || value.expression.empty()) return {"Differs: " + clean_line(value.detail)};
  return repro.printed = {"eager:    " + value.eager, "compiled: " + value.compiled};
}

std::vector<std::string> remarks_of_draws(const DraftFacts& facts, const DrawnNumber& number) {
  if (number.what == "derivative") return {"0.0: torch.autograd.gradcheck passes with each seed; 1.0: with none"};
  const std::vector<ShownValue> values = shown_values(facts, 1);
  if (number.what == "alike" || values.empty() || values.front().eager.empty()) return {};
  return {"eager:    " + values.front().eager, "compiled: " + values.front().compiled};
}

/// A value that is known comes first.
std::vector<ShownValue> values_of(const DraftFacts& facts) {
  std::vector<ShownValue> values = shown_values(facts, 100);
  const auto known = std::find_if(values.begin(), values.end(), [](const ShownValue& value) {
    return !value.expression.empty() && !value.eager.empty();
  });
  if (known != values.end()) std::iter_swap(values.begin(), known);
  return values;
}

}  // namespace

ShortRepro short_repro(const DraftFacts& facts) {
  const std::string program = without_options(repro_program(facts));
  const EvidenceRow* const round = shown_round(facts);
  const std::vector<ShownValue> values = values_of(facts);
  const bool reached = !values.empty() && !values.front().expression.empty();
  const std::string expression = reached ? values.front().expression : "output";
  const auto number = drawn_number(facts);
  ShortRepro repro;
  Fields fields = script_fields(facts, program);
  set_flags(fields, {{"one_tensor", returns_one_tensor(round)},
                     {"directly", fields.get("calls")->is_false() && fields.get("backward")->is_false() &&
                                      expression == "output"}});
  const auto* const outcome = round != nullptr ? round->evidence.outcome(round->evidence.compiled) : nullptr;
  set_texts(fields, {{"expression", expression},
                     {"signal", outcome != nullptr && outcome->signal > 0 ? std::to_string(outcome->signal) : ""}});
  kainjow::mustache::list remarks;
  for (const std::string& remark : number ? remarks_of_draws(facts, *number) : remarks_of(facts, values, repro)) {
    remarks.emplace_back(kainjow::mustache::object{{"remark", Fields(remark)}});
  }
  fields.set("remarks", remarks);
  std::string harness = script("short_repro", std::move(fields));
  const bool clash = program.find("def run(") != std::string::npos || program.find("def seed(") != std::string::npos ||
                     program.find("at_start") != std::string::npos || program.find("repro_") != std::string::npos;
  harness = clash ? without_clashes(std::move(harness), program) : without_prefix(std::move(harness));
  repro.text = program + "\n\n\n" + harness.substr(harness.find_first_not_of('\n'));
  return repro;
}

std::size_t code_lines(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t");
    count += first != std::string_view::npos && line[first] != '#' ? 1 : 0;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return count;
}

}  // namespace parityd::store
