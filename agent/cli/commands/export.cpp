// parityd export [ID…] DIR: one folder per finding, with everything that a person without parityd needs; --jsonl FILE:
// programs and findings, one per line (docs/interchange.md).
#include <charconv>
#include <fstream>
#include <set>

#include "agent/cli/commands.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/whole_finding.h"
#include "agent/daemon/loop/wall_clock.h"
#include "store/report/draft.h"
#include "store/upkeep/interchange.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

struct ExportOptions {
  std::vector<std::string> words;
  std::string lines;  // output file, - for standard output; empty: export folders
  std::string only;   // "programs", "findings"; empty: both
};

std::optional<store::Id> finding_number(const std::string& word) {
  store::Id id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(id) : std::nullopt;
}

/// The findings named; all if none is. Nullopt after reporting one that does not exist.
std::optional<std::vector<store::FindingRow>> findings_named(Context& context, const store::Store& store,
                                                             const std::vector<std::string>& words) {
  if (words.empty()) return store.findings.list({.limit = 0});
  std::vector<store::FindingRow> found;
  for (const std::string& word : words) {
    const auto id = finding_number(word);
    auto finding = id ? store.findings.find(*id) : std::nullopt;
    if (!finding) {
      context.fail(id ? 1 : 2, "parityd export: there is no finding {}; `parityd findings` lists them",
                   printable_line(word));
      return std::nullopt;
    }
    found.push_back(std::move(*finding));
  }
  return found;
}

/// False after a write error, which was reported.
bool export_finding(Context& context, const store::Store& store, const store::FindingRow& finding, std::uint64_t seed,
                    const fs::path& directory) {
  const fs::path folder = directory / fmt::format("finding-{}", finding.id);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    context.fail(3, "parityd export: {}: {}; choose another folder", folder.string(), error.message());
    return false;
  }
  const store::DraftFacts facts = store::draft_facts(store, finding, seed);
  const auto draft = store.drafts.find(finding.id);
  const auto write = [&](const char* name, const std::string& text) {
    write_out(context, printable(text), (folder / name).string());
  };
  write("repro.py", draft ? draft->repro : store::render_repro(facts));
  if (draft) write("issue.md", fmt::format("# {}\n\n{}", printable_line(draft->title), draft->body));
  if (const auto trace = store.inspections.find(finding.id, "trace")) write("trace.log", trace->text);
  const auto change = store.fixes.accepted(finding.id);
  if (change) write("fix.patch", change->diff);
  write("test_regression.py", change && !change->test.empty() ? change->test : store::render_regression_test(facts));
  write("evidence.json",
        whole_finding_json(store, finding).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return context.exit_code == 0;
}

void export_folders(Context& context, const store::Store& store, const std::vector<store::FindingRow>& found,
                    std::uint64_t seed, const fs::path& directory) {
  for (const auto& finding : found) {
    if (!export_finding(context, store, finding, seed, directory)) return;
  }
  context.out << fmt::format("{} {} in {}\n", found.size(), found.size() == 1 ? "finding" : "findings",
                             printable_line(directory.string()));
}

struct Written {
  std::int64_t programs = 0, findings = 0;
};

void write_line(std::ostream& stream, const nlohmann::json& line) { stream << oracle::compact(line) << '\n'; }

/// The complete finding, and the options of its reduced program: only those in its text.
nlohmann::json finding_line(const store::Store& store, const store::FindingRow& finding) {
  auto line = whole_finding_json(store, finding);
  line["record"] = "finding";
  line["options"] = nlohmann::json::object();
  return line;
}

std::int64_t write_programs(std::ostream& stream, const store::Store& store,
                            const std::vector<store::FindingRow>& findings, bool named) {
  std::int64_t written = 0;
  const auto write = [&](store::Id id) {
    if (const auto program = store.programs.find(id)) {  // a salvaged database may have gaps
      write_line(stream, store::interchange_program(*program));
      ++written;
    }
  };
  if (!named) {
    const store::Id last = store.programs.last();
    for (store::Id id = 1; id <= last; ++id) write(id);
    return written;
  }
  std::set<store::Id> programs;
  for (const auto& finding : findings) {
    for (const auto& occurrence : store.groups.occurrences_of(finding.id)) programs.insert(occurrence.program.id);
  }
  for (const store::Id id : programs) write(id);
  return written;
}

Written write_all(std::ostream& stream, const store::Store& store, const std::string& only,
                  const std::vector<store::FindingRow>& findings, bool named) {
  Written written;
  write_line(stream, store::interchange_header(wall_clock(), PARITYD_VERSION));
  if (only != "findings") written.programs = write_programs(stream, store, findings, named);
  if (only == "programs") return written;
  for (const auto& finding : findings) write_line(stream, finding_line(store, finding));
  written.findings = static_cast<std::int64_t>(findings.size());
  return written;
}

/// Exports every program and every finding; if findings are `named`, only these and the programs that show them. The
/// file is written completely or not at all.
void export_lines(Context& context, const store::Store& store, const ExportOptions& options,
                  const std::vector<store::FindingRow>& findings, bool named) {
  const auto fail = [&](const std::string& place) {
    context.fail(3, "parityd export: {}: cannot be written; choose another path", printable_line(place));
  };
  const std::string& file = options.lines;
  if (file == "-") {
    write_all(context.out, store, options.only, findings, named);
    if (!context.out.flush()) fail("standard output");
    return;
  }
  const fs::path unfinished = file + ".new";
  Written written;
  std::ofstream stream(unfinished, std::ios::binary);
  if (stream) written = write_all(stream, store, options.only, findings, named);
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, file, error);
  if (!stream || error) {
    fs::remove(unfinished, error);
    return fail(file);
  }
  context.out << fmt::format("{} {}, {} {} in {}\n", written.programs, written.programs == 1 ? "program" : "programs",
                             written.findings, written.findings == 1 ? "finding" : "findings", printable_line(file));
}

void export_findings(Context& context, ExportOptions options) {
  auto& words = options.words;
  const bool folders = options.lines.empty();
  const fs::path directory = folders ? words.back() : "";
  if (folders) words.pop_back();
  const auto config = load_context_config(context);
  if (!config) return;
  const auto store = open_or_fail(context);
  if (!store) return;
  const auto found = findings_named(context, *store, words);
  if (!found) return;
  for (const auto& finding : *found) {
    if (is_tampered(context, *store, finding.id)) return;
  }
  if (folders) return export_folders(context, *store, *found, config->seed, directory);
  export_lines(context, *store, options, *found, !words.empty());
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a folder for each finding, or all programs as JSON Lines.");
  command
      ->add_option("words", options->words,
                   "[ID…] DIR: findings (default: all), then the output folder; no DIR with --jsonl")
      ->type_name("[ID...] DIR");
  auto* const lines = command
                          ->add_option("--jsonl", options->lines,
                                       "Write programs and findings to FILE, one per line (-: standard output)")
                          ->type_name("FILE");
  command->add_option("--only", options->only, "Write only programs or only findings")
      ->check(CLI::IsMember({"programs", "findings"}))
      ->needs(lines);
  command->footer(
      "DIR/finding-ID holds repro.py, issue.md, test_regression.py (for PyTorch's own suite), evidence.json and, once\n"
      "recorded, trace.log; if a model's change of torch makes the finding vanish, also fix.patch, and its test as\n"
      "test_regression.py. `parityd import FILE.jsonl` reads the lines (docs/interchange.md).\n"
      "Earlier exports are overwritten. Both scripts run code that a model wrote: read them first.\n"
      "Exit code: 0 success, 1 no such finding, 2 usage error, 3 cannot write.");
  command->callback([&context, options] {
    if (options->words.empty() && options->lines.empty()) throw CLI::RequiredError("DIR or --jsonl FILE");
    export_findings(context, *options);
  });
}

}  // namespace parityd::agent
