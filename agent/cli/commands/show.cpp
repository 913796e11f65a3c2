// parityd show ID: one complete finding, or one program.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/fixes.h"
#include "agent/cli/reports/whole_finding.h"
#include "agent/daemon/program/examiner.h"
#include "store/findings/queue.h"
#include "store/findings/version_range.h"
#include "store/report/sandbox_text.h"

namespace parityd::agent {
namespace {

struct ShowOptions {
  store::Id id = 0, program = 0;
  bool json = false;
};

/// The sandbox of the environment in which it was confirmed.
std::string sandbox_of(const store::Store& store, const store::FindingRow& finding) {
  return store.environments.find(finding.environment).value_or(store::EnvironmentRow{}).sandbox;
}

void print_rounds(Context& context, const char* heading, const std::vector<store::EvidenceRow>& rows) {
  Table table({"round", "verdict", "rule", "eager", "compiled"});
  for (const auto& row : rows) {
    table.add(cells(round_name(row), row.verdict.verdict, row.verdict.rule,
                    outcome_text(row.evidence, oracle::Mode::eager),
                    outcome_text(row.evidence, row.evidence.compiled)));
  }
  if (table.empty()) return;
  context.heading(heading);
  context.out << table.text(context.screen);
}

/// The last round of fresh processes, of the reduced program if it was tried; otherwise all rows.
std::vector<store::EvidenceRow> decisive(const std::vector<store::EvidenceRow>& rows) {
  for (const auto what : {Examination::final_confirmation, Examination::confirmation}) {
    const auto last = std::find_if(rows.rbegin(), rows.rend(), [&](const auto& row) { return row.purpose == what; });
    if (last != rows.rend()) return {*last};
  }
  return rows;
}

void print_numbers(Context& context, const std::vector<store::EvidenceRow>& rows) {
  Table table({"round", "pair", "leaf", "max abs", "max rel", "what"});
  for (const auto& row : decisive(rows)) {
    for (const auto& measurement : row.evidence.measurements) {
      // In double, leaves have different dtypes than in other modes, whatever the program does.
      const bool same_dtypes = oracle::row(measurement.expected).in_double == oracle::row(measurement.actual).in_double;
      for (const auto& leaf : measurement.leaves) {
        if (!(same_dtypes && leaf.metadata_differs()) && !leaf.values_differ()) continue;
        table.add({round_name(row),
                   fmt::format("{}/{}", oracle::name(measurement.expected), oracle::name(measurement.actual)),
                   leaf.path, fmt::format("{:.3g}", leaf.max_absolute), fmt::format("{:.3g}", leaf.max_relative),
                   leaf.detail});
      }
    }
  }
  if (table.empty()) return;
  context.heading("Leaves that differ (other rounds: see the web page or the view v_differences)");
  context.out << table.text(context.screen);
}

void print_programs(Context& context, const store::Store& store, const store::FindingRow& finding) {
  constexpr std::size_t kMost = 10;
  const auto programs = store.groups.occurrences_of(finding.id);
  Table table({"program", "origin", "strategy", "seen (UTC)", "reason"});
  for (std::size_t index = 0; index < std::min(programs.size(), kMost); ++index) {
    const auto& [program, recorded, why, pass, at] = programs[index];
    table.add(cells(program.id, program.origin, program.strategy, utc(at),
                    recorded == finding.id ? why : fmt::format("from merged finding {}: {}", recorded, why)));
  }
  context.heading("Programs that show it");
  context.out << table.text(context.screen);
  if (programs.size() > kMost) context.out << fmt::format("and {} more\n", programs.size() - kMost);
}

void print_grouping(Context& context, const std::vector<store::GroupingChange>& changes) {
  if (changes.empty()) return;
  Table table({"change", "at (UTC)", "what", "who", "note"});
  for (const auto& change : changes) {
    const char* const words = change.what == "merge" ? "{} merged into {}" : "{} split: new {}";
    table.add(
        cells(change.id, utc(change.at),
              fmt::format(fmt::runtime(words), change.finding, change.other) + (change.undone_at ? ", undone" : ""),
              change.who, change.note));
  }
  context.heading("Grouped by hand");
  context.out << table.text(context.screen) << "`parityd undo CHANGE` reverts one\n";
}

std::string trigger_text(oracle::Trigger trigger) {
  constexpr std::array kWords{"not tried with ordinary inputs", "shown with ordinary inputs and default settings",
                              "shown with ordinary inputs, but only with the program's own settings",
                              "not shown with ordinary inputs"};
  return fmt::format("{}: {}", oracle::name(trigger), kWords.at(static_cast<std::size_t>(trigger)));
}

void print_known(Context& context, const std::vector<store::KnownMatch>& matches) {
  if (matches.empty()) return;
  Table table({"issue", "state", "confidence", "reason"});
  for (const auto& match : matches) {
    table.add(cells(match.issue, match.state, match.confident ? "confident" : "possible", match.reason));
  }
  context.heading("Possibly known (github.com/pytorch/pytorch/issues)");
  context.out << table.text(context.screen);
}

void print_versions(Context& context, const store::FindingRow& finding,
                    const std::vector<store::RecheckRow>& rechecks) {
  Table table({"torch", "device", "result", "shown", "at (UTC)", "who", "why"});
  for (const auto& row : rechecks) {
    table.add(cells(row.torch + (row.newest ? " (newest)" : ""),
                    row.elsewhere && !row.device_name.empty() ? row.device_name : row.device, row.result,
                    fmt::format("{} of {}", row.hits, row.rounds), utc(row.at), row.who, row.reason));
  }
  const auto range = store::range_text(finding, store::torches_tried(finding, rechecks));
  if (range.empty() && table.empty()) return;
  context.heading("On other torches and devices");
  if (!range.empty()) context.out << printable_line(range) << "\n";
  if (!table.empty()) context.out << table.text(context.screen);
}

/// Prints the output of scripts that did not show the finding.
void print_scripts(Context& context, const std::vector<store::ScriptRun>& runs) {
  for (const auto& run : runs) {
    if (run.report.says == oracle::ScriptSays::shown) continue;
    context.heading(fmt::format("Stand-alone script, torch {} on {}", run.torch, run.device));
    context.out << printable(run.text);
  }
}

auto labelled_lines(Context& context) {
  return [&context](const char* label, const std::string& text) {
    context.out << fmt::format("{:<15}{}\n", label, printable_line(text));
  };
}

void show_text(Context& context, const store::Store& store, const store::FindingRow& finding) {
  (void)is_tampered(context, store, finding.id);  // reported first; the rest may still be useful
  const auto line = labelled_lines(context);
  context.out << coloured(fmt::format("Finding {}: {}\n", finding.id, printable_line(finding.title)), Colour::bold,
                          context.screen.colour);
  line("kind", fmt::format("{}, first seen at stage {}", oracle::name(finding.kind), oracle::name(finding.stage)));
  const std::string severity = finding.disposition.is_ready() ? ", severity " + store::severity_words(finding) : "";
  context.out << fmt::format("{:<15}{}{}\n", "disposition", coloured(finding.disposition, context.screen.colour),
                             severity);
  line("trigger", trigger_text(finding.trigger));
  line("wrong side", std::string(oracle::name(finding.side)));
  line("status", std::string(name(finding.status)));
  for (const auto& row : store.triage.of(finding.id)) {
    line("decided", fmt::format("{} by {}, {} UTC{}{}{}{}", row.status, row.who, utc(row.at),
                                row.issue.empty() ? "" : ", ", row.issue, row.note.empty() ? "" : ": ", row.note));
  }
  if (finding.merged_into) line("merged", fmt::format("into finding {}, and counted there", *finding.merged_into));
  if (!finding.alarm.empty()) line("alarm", finding.alarm + ": it may have more than one cause");
  line("seen", fmt::format("{} programs, first {} UTC, torch {} on {}", finding.occurrences, utc(finding.created_at),
                           finding.torch, finding.device));
  line("confirmed", fmt::format("{} of {} rounds of two fresh processes", finding.hits, finding.rounds));
  line("sandbox", store::sandbox_summary(sandbox_of(store, finding)));
  line("signature", finding.signature.text);
  line("what", finding.explanation);
  if (const auto suspicion = store::suspicion_of(store, finding)) {
    line("hypothesis", fmt::format("{} (by a language model, before the program ran; attribution: {})",
                                   suspicion->hypothesis, store::name(suspicion->agreement)));
  }
  if (finding.statements > 0) {
    line("reduced", fmt::format("from {} to {} statements", finding.statements_before, finding.statements));
  }
  if (const auto attribution = store.reductions.attribution(finding.program)) {
    line("vanishes with",
         attribution->neutraliser.empty() ? attribution->why : attribution->words + " (" + attribution->why + ")");
    if (!attribution->workaround.empty()) line("workaround", attribution->workaround);
  }
  if (!finding.extent.empty()) line("extent", finding.extent);
  const auto scripts = store.scripts.runs(finding.id);
  for (const auto& run : scripts) {
    line("script", fmt::format("{} (torch {} on {})", oracle::in_words(run.report), run.torch, run.device));
  }
  line("next step", finding.next_step);
  line("why", finding.why);
  print_scripts(context, scripts);
  print_known(context, store.known.matches(finding.id));
  print_versions(context, finding, store.rechecks.of(finding.id));
  print_tries(context, store.fixes.of(finding.id));
  const auto rows = store.examinations.of(finding.program);
  print_rounds(context, "Rounds of its first program", rows);
  print_numbers(context, rows);
  print_programs(context, store, finding);
  print_grouping(context, store.groups.changes_of(finding.id));
  context.heading("Program, reduced");
  context.out << printable(finding.reduced)
              << fmt::format(
                     "\n`parityd draft {0}` prints the issue draft, `parityd repro {0}` a script that reproduces it\n",
                     finding.id);
}

void show_program(Context& context, store::Id id) {
  const auto store = open_or_fail(context);
  if (!store) return;
  const auto program = store->programs.find(id);
  if (!program) return context.fail(1, "there is no program {}", id);
  const auto line = labelled_lines(context);
  context.out << coloured(fmt::format("Program {}\n", id), Colour::bold, context.screen.colour);
  line("origin", std::string(name(program->origin)));
  line("state", std::string(name(program->state)));
  if (program->confirmation_rounds > 0) {
    line("shown", fmt::format("in {} of {} rounds of two fresh processes", program->confirmation_hits,
                              program->confirmation_rounds));
  }
  if (program->verdict) {
    line("verdict", fmt::format("{}: {}", oracle::name(program->verdict->verdict), program->verdict->explanation));
  }
  line("next step", program->next_step);
  line("why", program->why);
  if (const auto reduction = store->reductions.find(id)) {
    line("reduced", fmt::format("from {} to {} statements", reduction->statements_before, reduction->statements));
  }
  const auto rows = store->examinations.of(id);
  print_rounds(context, "Rounds", rows);
  print_numbers(context, rows);
  context.heading("Program");
  context.out << printable(program->text);
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show all details of a finding: program, verdict, numbers, rounds.");
  add_finding_option(*command, options->id);
  auto* const program =
      command->add_option("--program", options->program, "Show a program and its progress instead of a finding")
          ->type_name("ID");
  command->add_flag("--json", options->json, "Print a JSON object, including evidence")->excludes(program);
  command->footer("Exit code: 0 success, 1 no such finding or program, 3 database error.");
  command->callback([&context, options] {
    if ((options->id != 0) == (options->program != 0)) throw CLI::RequiredError("either FINDING or --program");
    if (options->program != 0) return show_program(context, options->program);
    with_finding(context, options->id, [&](const store::Store& store, const store::FindingRow& finding) {
      options->json ? print_json(context, whole_finding_json(store, finding)) : show_text(context, store, finding);
    });
  });
}

}  // namespace parityd::agent
