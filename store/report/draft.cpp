#include "store/report/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <fstream>
#include <iterator>
#include <kainjow/mustache.hpp>

#include "store/base/text.h"
#include "store/report/draft_lint.h"
#include "store/report/draft_parts.h"
#include "store/report/draws_repro.h"
#include "store/report/same_verdict.h"
#include "store/report/sandbox_text.h"
#include "store/report/short_repro.h"

namespace parityd::store {
namespace {

// In characters. Together with the tables these stay below GitHub's limit of 65,536 for a body.
constexpr std::size_t kReproLimit = 12'000;
constexpr std::size_t kLogLimit = 9'000;
constexpr std::size_t kVersionsLimit = 9'000;
constexpr std::size_t kSentenceLimit = 1'000;
constexpr std::size_t kLaterLimit = 8'000;  // filled in by drafts.h when the draft is read

std::string read_template(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || text.empty()) {
    throw StoreError(fmt::format("{}: cannot read the template for drafts; reinstall parityd", file.string()));
  }
  return text;
}

/// Cuts texts and remembers what was left out.
class Cutter {
 public:
  std::string cut(std::string_view text, std::size_t limit, std::string_view what) {
    std::string clean = clean_text(text);
    const std::size_t size = characters(clean);
    if (size <= limit) return clean;
    left_out_.push_back(fmt::format("{} of {} characters of {}", size - limit, size, what));
    return shortened(clean, limit);
  }
  [[nodiscard]] std::string left_out() const { return fmt::format("{}", fmt::join(left_out_, ", ")); }

 private:
  std::vector<std::string> left_out_;
};

using Fields = kainjow::mustache::data;

/// Without line ends at the end: the template sets the distance to what follows.
std::string trimmed(const std::string& text) { return text.substr(0, text.find_last_not_of('\n') + 1); }

void set_optional(Fields& fields, const std::string& name, const std::string& text) {
  if (!text.empty()) fields.set(name, Fields(trimmed(text)));
}

std::string summary(const DraftFacts& facts) {
  if (drawn_number(facts)) return symptom_sentence(facts);
  const std::string explanation = prose(shortened(clean_line(facts.finding.explanation), kSentenceLimit));
  // For other kinds the results table shows it.
  if (explanation.empty() || !oracle::values_differ(facts.finding.kind)) return symptom_sentence(facts);
  return fmt::format("{} {}{}", symptom_sentence(facts), explanation, explanation.ends_with('.') ? "" : ".");
}

/// True if a stored round showed it.
bool compares_values(const DraftFacts& facts) {
  return shown_round(facts) != nullptr && oracle::values_differ(facts.finding.kind) && !drawn_number(facts);
}

/// Sets the fields of the part before the details.
void set_report(Fields& fields, const DraftFacts& facts, Cutter& cutter) {
  const auto set = [&](const char* name, const std::string& text) { fields.set(name, Fields(trimmed(text))); };
  const EvidenceRow* const round = shown_round(facts);
  set("torch", inline_code(facts.finding.torch));
  set("summary", summary(facts));
  set("condition", prose(condition(facts)));
  set_optional(fields, "trigger", trigger_sentence(facts.finding));
  const std::string repro = short_repro(facts).text;
  set("repro", fenced(cutter.cut(repro, kReproLimit, "the reproducer"), "python"));
  if (const std::size_t lines = code_lines(repro); lines > kLongestProgram) set("lines", fmt::format("{}", lines));
  set("results", results_table(facts));
  set_optional(fields, "same", compares_values(facts) ? same_sentence(*round) : "");
  set("expected", expected(facts));
  set("stages", is_exported(facts) ? "Stages" : "Backends");
  set("stage", first_stage(facts));
  set_optional(fields, "ablation", ablation_table(facts));
  set_optional(fields, "cause", cause(facts));
  set_optional(fields, "suspected", suspected_cause(facts));
  set_optional(fields, "extent", facts.extent ? prose(shortened(clean_line(*facts.extent), kSentenceLimit)) : "");
}

/// Sets the fields of the collapsed section.
void set_details(Fields& fields, const DraftFacts& facts, const std::string& script, Cutter& cutter) {
  const auto set = [&](const char* name, const std::string& text) { fields.set(name, Fields(trimmed(text))); };
  const EvidenceRow* const round = shown_round(facts);
  set("confirmation", confirmation(facts));
  set_optional(fields, "outcomes", compares_values(facts) ? outcome_table(*round) : "");
  set_optional(fields, "numbers", round != nullptr ? number_table(*round) : "");
  set_optional(fields, "tried", tried_table(facts));
  set("signature", fenced(shortened(clean_line(facts.finding.signature.text), kSentenceLimit), "text"));
  set("script", fenced(cutter.cut(script, kReproLimit, "the complete script"), "python"));
}

/// Sets the fields of the form's other two parts.
void set_environment(Fields& fields, const DraftFacts& facts, Cutter& cutter) {
  const auto set = [&](const char* name, const std::string& text) { fields.set(name, Fields(trimmed(text))); };
  const std::string log = cutter.cut(error_log(facts), kLogLimit, "the error log");
  set("log", log.empty() ? "Nothing is raised; the results differ as shown above." : fenced(log, "text"));
  const EnvironmentRow& environment = facts.environment;
  const std::string versions = cutter.cut(environment.text, kVersionsLimit, "the environment");
  set("versions", versions.empty() ? fmt::format("torch {}, Python {}, {} {}", inline_code(environment.torch),
                                                 inline_code(environment.python), inline_code(environment.device),
                                                 inline_code(environment.device_name))
                                   : fenced(versions, "text"));
  set_optional(fields, "sandbox", sandbox_sentence(environment.sandbox));
}

Fields fields_of(const DraftFacts& facts, const std::string& script) {
  Cutter cutter;
  Fields fields;
  set_report(fields, facts, cutter);
  set_details(fields, facts, script, cutter);
  set_environment(fields, facts, cutter);
  set_optional(fields, "left_out", cutter.left_out());
  return fields;
}

constexpr std::size_t kExplanationLimit = 200;
constexpr std::size_t kRowTitleLimit = 120;

std::string row_of(const FindingRow& finding, std::size_t number) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", number,
                     inline_code(shortened(clean_line(finding.title), kRowTitleLimit)),
                     inline_code(shortened(clean_line(finding.explanation), kExplanationLimit)),
                     inline_code(finding.device), inline_code(finding.torch));
}

std::string program_of(const FindingRow& finding, std::size_t number) {
  return fmt::format("\nCase {}:\n\n{}", number, fenced(clean_text(finding.reduced), "python"));
}

}  // namespace

DraftFacts draft_facts(const Store& store, const FindingRow& finding, std::uint64_t seed) {
  DraftFacts facts{.finding = finding,
                   .environment = store.environments.find(finding.environment).value_or(EnvironmentRow{}),
                   .rounds = {},
                   .stages = {},
                   .attribution = store.reductions.attribution(finding.program),
                   .options_json = store.programs.find(finding.program).value_or(ProgramRow{}).options_json,
                   .seed = seed,
                   .extent = finding.extent.empty() ? std::nullopt : std::optional(finding.extent),
                   .suspicion = suspicion_of(store, finding)};
  facts.any_threads = any_threads(store.reductions.extent(finding.program).value_or(ExtentRow{}));
  const auto reduction = store.reductions.find(finding.program);
  const bool reduced = reduction && reduction->text == finding.reduced;
  if (reduced) facts.options_json = reduction->options_json;
  for (EvidenceRow& row : store.examinations.of(finding.program)) {
    if (row.purpose == (reduced ? Examination::final_confirmation : Examination::confirmation)) {
      facts.rounds.push_back(std::move(row));
    } else if (row.purpose == Examination::stages) {
      facts.stages = std::move(row.evidence);
    }
  }
  return facts;
}

DraftRow render_draft(const DraftFacts& facts, const std::filesystem::path& template_file, Millis now) {
  kainjow::mustache::mustache page(read_template(template_file));
  if (!page.is_valid()) {
    throw StoreError(fmt::format("{}: {}; fix it or reinstall parityd", template_file.string(), page.error_message()));
  }
  DraftRow draft{.finding = facts.finding.id,
                 .title = draft_title(facts),
                 .body = {},
                 .repro = render_repro(facts),
                 .created_at = now};
  draft.body = page.render(fields_of(facts, draft.repro));
  if (characters(draft.body) + kLaterLimit > kLongestBody) {
    throw StoreError(
        fmt::format("{}: a draft made from this template has {} characters, GitHub accepts {}; shorten the template",
                    template_file.string(), characters(draft.body), kLongestBody));
  }
  return draft;
}

std::string umbrella_comment(const std::vector<FindingRow>& findings) {
  constexpr std::size_t kRoom = 1'000;  // for the text around the cases
  std::string table = "| case | finding | details | device | torch |\n| --- | --- | --- | --- | --- |\n";
  std::string programs;
  std::size_t told = 0;
  for (const FindingRow& finding : findings) {
    const std::string row = row_of(finding, told + 1);
    const std::string program = program_of(finding, told + 1);
    const std::size_t so_far = characters(table) + characters(programs);
    if (so_far + characters(row) + characters(program) + kRoom > kLongestBody) break;
    table += row;
    programs += program;
    ++told;
  }
  std::string text = "**What I checked myself** (to be filled in by the person who posts this)\n\n> _…_\n\n";
  text +=
      fmt::format("{} more {}, each confirmed by running eager and compiled code in separate fresh processes:\n\n{}",
                  told, told == 1 ? "case" : "cases", table);
  if (told < findings.size())
    text += fmt::format("\n{} more cases are left out because of the length limit.\n", findings.size() - told);
  text +=
      "\n<details>\n<summary>AI-assisted: the programs</summary>\n\nThe programs were generated (by a language model, "
      "or by mutating such programs) and found by parityd, a differential tester for torch.compile.\n";
  return text + programs + "\n</details>\n";
}

}  // namespace parityd::store
