#include "agent/cli/commands/check_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/reports/attribution_text.h"
#include "agent/cli/table.h"
#include "oracle/json_read.h"
#include "oracle/rules/explain.h"

namespace parityd::agent {

void CheckReport::print(const CheckedFile& file) {
  if (!file.harness_failure.empty()) {
    context_.err << fmt::format("{}: the harness failed, not the program: {}\n", file.name, file.harness_failure);
    context_.exit_code = 3;
    return;
  }
  judged_ += file.judged.verdict == oracle::VerdictKind::invalid ? 0 : 1;
  if (file.inconsistent() && context_.exit_code == 0) {
    context_.exit_code = 1;
  }
  const std::string disposition = file.inconsistent() ? file.disposition(plan_.choices).text() : "";
  form_ == Form::json ? print_json(file, disposition) : print_text(file, disposition);
}

void CheckReport::print_json(const CheckedFile& file, const std::string& disposition) const {
  const auto& verdict = file.judged;
  nlohmann::json line{
      {"file", file.name},
      {"verdict", oracle::name(verdict.verdict)},
      {"kind", verdict.kind ? nlohmann::json(oracle::name(*verdict.kind)) : nlohmann::json(nullptr)},
      {"rule", verdict.rule},
      {"disposition", file.inconsistent() ? nlohmann::json(disposition) : nlohmann::json(nullptr)},
      {"explanation", verdict.explanation},
      {"fixes", file.fixes},
      {"script", file.script ? nlohmann::json(oracle::in_words(*file.script)) : nlohmann::json(nullptr)}};
  if (file.reduced) {
    line["reduced"] = {{"program", file.reduced->text},
                       {"statements_before", file.reduced->statements_before},
                       {"statements", file.reduced->statements},
                       {"lines", file.reduced->lines},
                       {"trials", file.reduced->trials},
                       {"seconds", file.reduced->seconds},
                       {"why", file.reduced->why}};
  }
  if (file.attributor) {
    line.update(attribution_json(*file.attributor));
  }
  context_.out << oracle::compact(line) << std::endl;
}

void CheckReport::print_text(const CheckedFile& file, const std::string& disposition) const {
  const auto& verdict = file.judged;
  const auto print = [&](const std::string& text) { context_.out << printable(text) << std::endl; };
  print(fmt::format("{}: {}{}  [{}]{}\n  {}", file.name, oracle::name(verdict.verdict),
                    verdict.kind ? fmt::format(" ({})", oracle::name(*verdict.kind)) : "", verdict.rule,
                    disposition.empty() ? "" : "  " + disposition, verdict.explanation));
  if (!file.fixes.empty()) {
    print(fmt::format("  judged after: {}", fmt::join(file.fixes, "; ")));
  }
  if (file.script && file.script->says != oracle::ScriptSays::shown) {
    print(fmt::format("  {}", oracle::in_words(*file.script)));
  }
  if (const auto& reduced = file.reduced) {
    print(fmt::format("  reduced from {} to {} statements, {} lines, by {} trials in {:.0f} worker seconds: {}\n\n{}",
                      reduced->statements_before, reduced->statements, reduced->lines, reduced->trials,
                      reduced->seconds, reduced->why, reduced->text));
  }
  if (file.attributor) {
    context_.out << printable(attribution_text(*file.attributor)) << std::flush;
  }
  if (form_ == Form::explained) {
    const oracle::ExcusesOff off(plan_.excuses_off.begin(), plan_.excuses_off.end());
    print(oracle::reasoning(file.last.evidence, off) + oracle::explain(file.last.evidence));
  }
}

}  // namespace parityd::agent
