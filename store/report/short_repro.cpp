#include "store/report/short_repro.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "store/base/text.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/python.h"
#include "store/report/repro_lines.h"
#include "store/report/repro_parts.h"
#include "store/report/shown_values.h"

namespace parityd::store {
namespace {

using oracle::Kind;

constexpr std::size_t kCommentLimit = 200;  // characters

/// The program without its OPTIONS, which the harness carries out.
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

/// The statement that seeds; a function where it takes more than one.
struct Seeding {
  std::string function;  // its definition; may be empty
  std::string call;
};

Seeding seeding(const ReproPlan& plan, const std::string& program) {
  const std::string torch_seed = fmt::format("torch.manual_seed({})", plan.seed);
  std::string more;
  if (plan.random) more += fmt::format("    random.seed({})\n", plan.seed);
  if (program.find("numpy") != std::string::npos) {
    more += fmt::format("    __import__(\"numpy\").random.seed({})\n", plan.seed);
  }
  if (more.empty()) return {.function = "", .call = torch_seed};
  return {.function = "\ndef repro_seed():\n    " + torch_seed + "\n" + more, .call = "repro_seed()"};
}

/// The same where all that the model returns is one tensor.
constexpr const char* kBackwardOfOne =
    "    generator = torch.Generator().manual_seed(20011)\n"
    "    output.backward(torch.randn(output.shape, dtype=torch.float64, generator=generator).to(output))\n";

bool returns_one_tensor(const EvidenceRow* round) {
  const auto* const measured =
      round != nullptr ? round->evidence.measurement(oracle::Mode::eager, round->evidence.compiled) : nullptr;
  if (measured == nullptr) return false;
  const auto of_output = [](const auto& leaf) { return leaf.group == oracle::LeafGroup::output; };
  return std::ranges::count_if(measured->leaves, of_output) == 1 && measured->find("output") != nullptr;
}

std::string run_function(const ReproPlan& plan, const std::string& program, const std::string& expression,
                         const std::string& backward) {
  const Seeding seed = seeding(plan, program);
  const Returned returned = returned_by(program, "get_inputs");
  const std::string indent = plan.calls > 1 ? "        " : "    ";
  const char* const stars = returned == Returned::named ? "**" : "*";
  std::string text = globals_at_start(plan) + graph_function(plan) + seed.function + "\n\ndef repro_run(compiled):\n" +
                     globals_anew(plan) + "    " + seed.call + "\n    " + model_line(plan, program);
  std::string called = fmt::format("({} if compiled else model)", plain_compile_call(plan));
  if (plan.calls > 1) {
    text += fmt::format("    function = {} if compiled else model\n    for call in range({}):\n",
                        plain_compile_call(plan), plan.calls);
    called = "function";
  }
  text += fmt::format("{0}{1}\n{2}{0}{1}\n", indent, seed.call, inputs_lines(plan, returned, indent));
  const bool directly = plan.calls == 1 && !plan.backward && expression == "output";
  const std::string autocast = autocast_of(plan);
  if (!autocast.empty()) text += fmt::format("{}with {}:\n    ", indent, autocast);
  text += fmt::format("{}{}{}({}inputs)\n", indent, directly ? "return " : "output = ", called, stars);
  if (plan.backward) text += backward;
  return directly ? text : text + fmt::format("    return {}\n", expression);
}

std::string comment(const std::string& line) { return "# " + line + "\n"; }

/// The lines that print, with what they print.
std::string ending(const DraftFacts& facts, const std::vector<ShownValue>& values, ShortRepro& repro) {
  const Kind kind = facts.finding.kind;
  const EvidenceRow* const round = shown_round(facts);
  const auto raised = [&](oracle::Mode mode) {
    const auto* const outcome = round != nullptr ? round->evidence.outcome(mode) : nullptr;
    repro.raised = outcome != nullptr && outcome->error ? error_line(*outcome->error) : "";
    return repro.raised.empty() ? comment("raises") : comment(shortened(repro.raised, kCommentLimit));
  };
  if (kind == Kind::missing_check) {
    return "repro_run(True)  # compiled: runs\nrepro_run(False)  # eager: raises\n" + raised(oracle::Mode::eager);
  }
  if (kind == Kind::behaviour) {
    const auto compiled = round != nullptr ? round->evidence.compiled : oracle::Mode::inductor;
    return "repro_run(False)  # eager: runs\nrepro_run(True)  # compiled: raises\n" + raised(compiled);
  }
  if (kind == Kind::crash || kind == Kind::hang) {
    const auto* const outcome = round != nullptr ? round->evidence.outcome(round->evidence.compiled) : nullptr;
    const std::string death = outcome != nullptr && outcome->signal > 0
                                  ? fmt::format("the process dies of signal {}", outcome->signal)
                                  : "the process dies";
    return fmt::format("repro_run(False)  # eager: {}\nrepro_run(True)  # compiled: {}\n",
                       kind == Kind::hang ? "ends" : "does not die", kind == Kind::hang ? "does not end" : death);
  }
  std::string text = "print(\"eager:   \", repro_run(False))\nprint(\"compiled:\", repro_run(True))\n";
  if (values.empty() || values.front().eager.empty() || values.front().expression.empty()) {
    return values.empty() ? text : text + comment("They differ: " + clean_line(values.front().detail));
  }
  repro.printed = {"eager:    " + values.front().eager, "compiled: " + values.front().compiled};
  return text + comment(repro.printed[0]) + comment(repro.printed[1]);
}

std::string finished(const std::string& program, std::string harness) {
  const bool clash = program.find("def run(") != std::string::npos || program.find("def seed(") != std::string::npos ||
                     program.find("at_start") != std::string::npos || program.find("repro_") != std::string::npos;
  harness = clash ? without_clashes(std::move(harness), program) : without_prefix(std::move(harness));
  const char* const import = program.find("import torch\n") == std::string::npos ? "import torch\n" : "";
  return program + "\n\n\n" + import + harness;
}

/// The two numbers, each of many runs.
ShortRepro of_draws(const DraftFacts& facts, const ReproPlan& plan, const std::string& program,
                    const DrawnNumber& number) {
  const std::vector<ShownValue> values = shown_values(facts, 1);
  ShortRepro repro;
  std::string text = draws_functions(plan, program, number) + fmt::format("\n\n# {}\n", drawn_words(number)) +
                     "print(\"eager:   \", repro_numbers(False).mean().item())\n"
                     "print(\"compiled:\", repro_numbers(True).mean().item())\n";
  if (number.what == "derivative") {
    text += "# 0.0: torch.autograd.gradcheck passes with each seed; 1.0: with none\n";
  } else if (number.what != "alike" && !values.empty() && !values.front().eager.empty()) {
    text += comment("eager:    " + values.front().eager) + comment("compiled: " + values.front().compiled);
  }
  repro.text = finished(program, std::move(text));
  return repro;
}

}  // namespace

ShortRepro short_repro(const DraftFacts& facts) {
  const ReproPlan plan = repro_plan(facts);
  const std::string program = without_options(repro_program(facts));
  if (const auto number = drawn_number(facts)) return of_draws(facts, plan, program, *number);
  std::vector<ShownValue> values = shown_values(facts, 100);
  const auto known = std::find_if(values.begin(), values.end(), [](const ShownValue& value) {
    return !value.expression.empty() && !value.eager.empty();
  });
  if (known != values.end()) std::iter_swap(values.begin(), known);
  const bool reached = !values.empty() && !values.front().expression.empty();
  ShortRepro repro;
  const std::string backward = returns_one_tensor(shown_round(facts)) ? kBackwardOfOne : backward_of_all();
  std::string harness = plain_settings(plan) +
                        run_function(plan, program, reached ? values.front().expression : "output", backward) + "\n\n" +
                        ending(facts, values, repro);
  repro.text = finished(program, std::move(harness));
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
