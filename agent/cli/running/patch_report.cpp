#include "agent/cli/running/patch_report.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "agent/cli/json.h"
#include "agent/cli/table.h"

namespace parityd::agent {
namespace {

using store::FixResult;

nlohmann::json check_json(const store::FixCheck& check) {
  return {{"name", check.name}, {"result", check.result},   {"ran", check.ran},         {"failed", check.failed},
          {"told", check.told}, {"failing", check.failing}, {"program", check.program}, {"seconds", check.seconds}};
}

}  // namespace

FixResult PatchReport::result() const { return checks.empty() ? FixResult::unknown : checks.back().result; }

double PatchReport::seconds() const {
  return std::accumulate(checks.begin(), checks.end(), 0.0,
                         [](double sum, const auto& check) { return sum + check.seconds; });
}

std::string sentence_of(FixResult result) {
  switch (result) {
    case FixResult::accepted:
      return "the patch makes the finding vanish, and no check failed";
    case FixResult::asked:
      return "a language model was asked, and nothing is known of its answer";
    case FixResult::not_python:
      return "the place is not in torch's Python files";
    case FixResult::no_answer:
      return "the provider gave no answer";
    case FixResult::no_patch:
      return "the model proposes no patch";
    case FixResult::unusable:
      return "the answer cannot be used";
    case FixResult::does_not_import:
      return "torch does not import with the patch";
    case FixResult::stays:
      return "the patch does not make the finding vanish";
    case FixResult::incomplete:
      return "the patch leaves other programs with the same fault";
    case FixResult::breaks:
      return "the patch breaks programs that were right";
    case FixResult::switched_off:
      return "the patch switches something off";
    case FixResult::proves_nothing:
      return "the regression test proves nothing";
    case FixResult::too_few:
      return "too few programs were run to tell what the patch breaks";
    case FixResult::unknown:
      return "a check could not be run";
  }
  return "";
}

nlohmann::json patch_json(const PatchReport& report) {
  return {{"torch", report.torch},
          {"changed", report.changed},
          {"new", report.added},
          {"result", report.result()},
          {"checks", json_array(report.checks, check_json)},
          {"also_gone", report.also_gone},
          {"seconds", report.seconds()}};
}

void print_patch(Context& context, const PatchReport& report) {
  const auto line = [&](const std::string& text) { context.out << printable_line(text) << "\n"; };
  for (const auto& file : report.changed) line("changed: " + file);
  for (const auto& file : report.added) line("new: " + file);
  for (const auto& check : report.checks) {
    context.out << fmt::format("{:<16} {:<6} {:5.0f} s  {}\n", check.name,
                               check.result == FixResult::accepted ? "passed" : "FAILED", check.seconds,
                               printable_line(check.told));
    for (const auto& failing : check.failing) line("  " + failing);
  }
  if (!report.also_gone.empty()) {
    line(fmt::format("findings that vanish, too: {}", fmt::join(report.also_gone, ", ")));
  }
  line(sentence_of(report.result()));
}

}  // namespace parityd::agent
