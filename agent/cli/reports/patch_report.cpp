#include "agent/cli/reports/patch_report.h"

#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "agent/cli/json.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/table.h"
#include "store/findings/fix_json.h"

namespace parityd::agent {

store::FixResult PatchReport::result() const {
  return checks.empty() ? store::FixResult::unknown : checks.back().result;
}

double PatchReport::seconds() const {
  return std::accumulate(checks.begin(), checks.end(), 0.0,
                         [](double sum, const auto& check) { return sum + check.seconds; });
}

nlohmann::json patch_json(const PatchReport& report) {
  return {{"torch", report.torch},
          {"changed", report.changed},
          {"new", report.added},
          {"result", report.result()},
          {"checks", store::checks_json(report.checks)},
          {"also_gone", report.also_gone},
          {"seconds", report.seconds()}};
}

void print_patch(Context& context, const PatchReport& report) {
  const auto line = [&](const std::string& text) { context.out << printable_line(text) << "\n"; };
  for (const auto& file : report.changed) line("changed: " + file);
  for (const auto& file : report.added) line("new: " + file);
  print_checks(context, report.checks);
  if (!report.also_gone.empty()) {
    line(fmt::format("findings that vanish, too: {}", fmt::join(report.also_gone, ", ")));
  }
  line("result: " + words_of(report.result()));
}

}  // namespace parityd::agent
