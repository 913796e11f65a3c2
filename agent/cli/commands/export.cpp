// parityd export [ID…] DIR: one folder a finding, with all that a person needs who has no parityd.
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/commands.h"
#include "agent/cli/commands/export_lines.h"
#include "agent/cli/reading.h"
#include "agent/cli/reports/whole_finding.h"
#include "store/report/draft.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

std::optional<store::Id> finding_number(const std::string& word) {
  store::Id id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(id) : std::nullopt;
}

/// The findings named; all when none is. nullopt after saying which one is not there.
std::optional<std::vector<store::FindingRow>> findings_named(Context& context, const store::Store& store,
                                                             const std::vector<std::string>& words) {
  if (words.empty()) return store.findings.list({.limit = 0});
  std::vector<store::FindingRow> found;
  for (const std::string& word : words) {
    const auto id = finding_number(word);
    auto finding = id ? store.findings.find(*id) : std::nullopt;
    if (!finding) {
      context.err << fmt::format("parityd export: no finding {}; `parityd findings` lists them\n",
                                 printable_line(word));
      context.exit_code = id ? 1 : 2;
      return std::nullopt;
    }
    found.push_back(std::move(*finding));
  }
  return found;
}

/// False once something could not be written; it has been said then.
bool export_finding(Context& context, const store::Store& store, const store::FindingRow& finding, std::uint64_t seed,
                    const fs::path& directory) {
  const fs::path folder = directory / fmt::format("finding-{}", finding.id);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    context.err << fmt::format("parityd export: {}: {}; name another folder\n", folder.string(), error.message());
    context.exit_code = 3;
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
  write("test_regression.py", store::render_regression_test(facts));
  write("evidence.json",
        whole_finding_json(store, finding).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return context.exit_code == 0;
}

struct ExportOptions {
  std::vector<std::string> words;
  LinesWanted lines;
  std::string only;
};

void export_folders(Context& context, const store::Store& store, const std::vector<store::FindingRow>& found,
                    std::uint64_t seed, const fs::path& directory) {
  for (const auto& finding : found) {
    if (!export_finding(context, store, finding, seed, directory)) return;
  }
  context.out << fmt::format("{} {} in {}\n", found.size(), found.size() == 1 ? "finding" : "findings",
                             printable_line(directory.string()));
}

void export_findings(Context& context, ExportOptions options) {
  auto& words = options.words;
  const bool folders = options.lines.file.empty();
  const fs::path directory = folders ? words.back() : "";
  if (folders) words.pop_back();
  const auto config = load_context_config(context);
  if (!config) return;
  const auto store = open_for_reading(context);
  if (!store) {
    context.err << no_database_message(context);
    context.exit_code = 1;
    return;
  }
  const auto found = findings_named(context, *store, words);
  if (!found) return;
  for (const auto& finding : *found) {
    if (is_tampered(context, *store, finding.id)) return;
  }
  if (folders) return export_folders(context, *store, *found, config->seed, directory);
  options.lines.programs = options.only != "findings";
  options.lines.findings = options.only != "programs";
  export_lines(context, *store, options.lines, *found, !words.empty());
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App* command = app.add_subcommand("export", "Write a folder for each finding, or all programs as JSON Lines.");
  command
      ->add_option("words", options->words,
                   "[ID…] DIR: findings (default: all), then the folder to write into; no DIR "
                   "with --jsonl")
      ->type_name("[ID...] DIR");
  auto* const lines =
      command->add_option("--jsonl", options->lines.file, "Programs and findings, a line each, into FILE (-: here)")
          ->type_name("FILE");
  command->add_option("--only", options->only, "Of these lines programs or findings alone")
      ->check(CLI::IsMember({"programs", "findings"}))
      ->needs(lines);
  command->footer(
      "DIR/finding-ID holds repro.py, issue.md, test_regression.py (for PyTorch's own suite), evidence.json and, once\n"
      "gathered, trace.log. `parityd import FILE.jsonl` takes the lines (docs/interchange.md).\n"
      "What was exported before is overwritten. Both scripts run code that a model wrote: read them first.\n"
      "Exit code: 0 fine, 1 no such finding, 2 misuse, 3 it cannot be written.");
  command->callback([&context, options] {
    if (options->words.empty() && options->lines.file.empty()) throw CLI::RequiredError("DIR or --jsonl FILE");
    export_findings(context, *options);
  });
}

}  // namespace parityd::agent
