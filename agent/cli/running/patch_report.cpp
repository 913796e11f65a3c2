#include "agent/cli/running/patch_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/cli/json.h"
#include "agent/cli/table.h"

namespace parityd::agent {
namespace {

std::string kind_of(const oracle::Verdict& verdict) {
  return verdict.kind ? fmt::format("{} ({})", name(verdict.verdict), name(*verdict.kind))
                      : std::string(name(verdict.verdict));
}

}  // namespace

std::vector<const Tried*> PatchReport::broken() const {
  std::vector<const Tried*> found;
  for (const auto& tried : programs) {
    if (tried.broken()) found.push_back(&tried);
  }
  return found;
}

std::int64_t PatchReport::not_judged() const {
  return std::ranges::count_if(programs, [](const auto& tried) { return !tried.judged(); });
}

std::size_t PatchReport::related() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(programs, [](const auto& tried) { return tried.related && tried.judged(); }));
}

std::string PatchReport::sentence() const {
  if (finding.with.result == store::RecheckResult::cannot || finding.without.result == store::RecheckResult::cannot) {
    return "cannot tell whether the patch fixes the finding";
  }
  if (!shown_without()) return "the finding does not show here even without the patch: nothing to fix";
  if (mends()) return "the patch fixes the finding";
  return finding.with.result == store::RecheckResult::still ? "the patch does not fix the finding"
                                                            : "the patch changes the finding, but does not fix it";
}

nlohmann::json patch_json(const PatchReport& report) {
  const auto program_json = [](const Tried* tried) -> nlohmann::json {
    return {{"program", tried->program.id},
            {"verdict", tried->with->verdict},
            {"kind", or_null(tried->with->kind)},
            {"explanation", tried->with->explanation}};
  };
  const auto side = [](const store::RecheckRow& row) -> nlohmann::json {
    return {{"result", row.result}, {"hits", row.hits}, {"rounds", row.rounds}, {"reason", row.reason}};
  };

  return {{"torch", report.torch},
          {"changed", report.changed},
          {"new", report.added},
          {"with", side(report.finding.with)},
          {"without", side(report.finding.without)},
          {"mends", report.mends()},
          {"test", report.test ? nlohmann::json{{"without", report.test->without}, {"with", report.test->with}}
                               : nlohmann::json()},
          {"switched_off", report.fired.switched_off},
          {"fired_problem", report.fired.problem},
          {"programs", report.programs.size()},
          {"operators", report.operators},
          {"related", report.related()},
          {"too_few", report.too_few()},
          {"not_judged", report.not_judged()},
          {"broken", json_array(report.broken(), program_json)}};
}

void print_patch(Context& context, const PatchReport& report) {
  const auto broken = report.broken();
  const auto line = [&](const std::string& text) { context.out << printable_line(text) << "\n"; };
  for (const auto& file : report.changed) line("changed: " + file);
  for (const auto& file : report.added) line("new: " + file);
  line(fmt::format("without the patch: {} ({})", name(report.finding.without.result), report.finding.without.reason));
  line(fmt::format("with the patch: {} ({})", name(report.finding.with.result), report.finding.with.reason));
  line(report.sentence());
  if (!report.mends()) return;
  if (!report.fired.problem.empty()) line("what the compiler still does could not be checked: " + report.fired.problem);
  if (report.test) {
    line(fmt::format("the regression test {}without the patch: {}; with it: {}",
                     report.test->proves() ? "" : "proves nothing, ", report.test->without, report.test->with));
  }
  for (const auto& each : report.fired.switched_off) line("it switches something off: " + each);
  line(fmt::format("it breaks {} of {} programs that were consistent on torch {}{}", broken.size(),
                   report.programs.size(), report.torch,
                   report.not_judged() == 0 ? "" : fmt::format("; {} could not be run", report.not_judged())));
  line(fmt::format(
      "{} of them call {}{}", report.related(), fmt::join(report.operators, ", "),
      report.too_few() ? fmt::format(": too few to tell what it breaks, {} are needed", kFewestRelated) : ""));
  for (const Tried* const tried : broken) {
    line(fmt::format("  program {}: {}: {}", tried->program.id, kind_of(*tried->with), tried->with->explanation));
  }
}

}  // namespace parityd::agent
