#include "store/findings/drafts.h"

#include <fmt/format.h>

#include <compare>

#include "store/base/connection.h"
#include "store/base/content.h"
#include "store/base/text.h"
#include "store/findings/change_section.h"
#include "store/findings/version_range.h"

namespace parityd::store {
namespace {

constexpr std::string_view kEmptySlot = "> _…_\n";  // as in store/draft.mustache, before any text of programs
constexpr std::string_view kTraceSlot = "**Trace log**: _…_\n";
constexpr std::string_view kTorchLine =
    "_Seen with torch ";                      // begins the line that says which torches and devices were tried
constexpr std::size_t kCheckedLimit = 4'000;  // characters
constexpr std::size_t kSanitizerLimit = 600;

std::string quoted(const std::string& text) { return "> " + prose(shortened(clean_line(text), kCheckedLimit)) + "\n"; }

/// Issues by number only: a link would leave a reference on each of them.
std::string known_paragraph(const std::vector<KnownMatch>& known) {
  std::string text =
      "\n**Possible duplicates** (for the person who files this: read these first, then delete this list)\n\n";
  for (const KnownMatch& match : known) {
    text += fmt::format("* issue {} ({}), {}: {}\n", match.issue, match.state,
                        match.confident ? "confident" : "possible", prose(match.reason));
  }
  return text;
}

std::string trace_paragraph(const LaterFacts& facts) {
  return facts.traced ? std::string("**Trace log**: attached as `trace.log` (`TORCH_TRACE`, for tlparse).\n")
                      : fmt::format(
                            "**Trace log** (for the person who files this): not recorded yet; "
                            "`parityd inspect {} --tool trace` records it.\n",
                            facts.finding.id);
}

/// One compiled run in which each tensor is a separate allocation.
std::string sanitizer_paragraph(const LaterFacts& facts) {
  std::string text;
  for (const auto& words : facts.sanitized) {
    text += fmt::format("* {}\n", prose(shortened(clean_line(words), kSanitizerLimit)));
  }
  return text.empty()
             ? text
             : "\n**compute-sanitizer** on the compiled program, with `PYTORCH_NO_CUDA_MEMORY_CACHING=1`:\n\n" + text;
}

/// The number counts from the start of a process: compiling more than the program shifts it.
std::string bisector_paragraph(const std::optional<oracle::BisectReport>& report) {
  if (!report) return {};
  return fmt::format(
      "\n**Compiler bisector** (`torch._inductor.compiler_bisector`): {}. To reproduce, in a process that compiles "
      "only this program: {}.\n",
      prose(shortened(clean_line(report->found), kSanitizerLimit)),
      inline_code(shortened(clean_line(report->variables), kSanitizerLimit)));
}

/// One line per torch on which it was run.
std::string script_paragraph(const std::vector<ScriptRun>& runs) {
  std::string text;
  for (const ScriptRun& run : runs) {
    text += fmt::format("* torch {} on {}: {}\n", inline_code(run.torch), inline_code(run.device),
                        prose(shortened(clean_line(oracle::in_words(run.report)), kSanitizerLimit)));
  }
  return text.empty() ? text
                      : "\n**The complete script**, run by a plain Python interpreter without parityd:\n\n" + text;
}

void replace_first(std::string& body, std::string_view slot, const std::string& text) {
  const std::size_t at = body.find(slot);
  if (at != std::string::npos) body.replace(at, slot.size(), text);
}

/// Empty if no other device was tried.
std::string devices_sentence(const LaterFacts& facts) {
  const std::string devices = devices_text(facts.rechecks);
  return devices.empty() ? devices : fmt::format(" _Other devices tested: {}._", prose(devices));
}

/// Empty if no other torch was tried or is to be tried.
std::string torch_line(const LaterFacts& facts) {
  const FindingRow& finding = facts.finding;
  const auto tried = torches_tried(finding, facts.rechecks);
  const std::string range = range_text(finding, tried);
  if (!range.empty()) {
    const bool newer = std::is_gt(compare_torch(tried.back().torch, finding.torch));
    return fmt::format("_Versions tested: torch {}; {}.{}_", prose(torches_text(tried)), prose(range),
                       newer ? "" : " No newer version or nightly has been tested.");
  }
  if (!finding.disposition.is_held("untried")) return {};
  return fmt::format("_Seen with torch {} only; it has not been tested on the newest configured torch yet._",
                     inline_code(finding.torch));
}

}  // namespace

void Drafts::set(const DraftRow& row) {
  const auto of = findings_.find(row.finding);
  const std::string all = row.title + "\n" + row.body + "\n" + row.repro + "\n" + (of ? of->reduced : "");
  connection_.run(
      "save a draft",
      "INSERT INTO drafts (finding, title, body, repro, created_at, hash) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT "
      "DO UPDATE SET title = excluded.title, body = excluded.body, repro = excluded.repro, "
      "created_at = excluded.created_at, hash = excluded.hash",
      row.finding, row.title, row.body, row.repro, row.created_at, content_hash(all));
}

std::optional<DraftRow> Drafts::find(Id id) const {
  Rows rows = connection_.query("read a draft",
                                "SELECT finding, title, body, repro, created_at FROM drafts WHERE finding = ?", id);
  const auto of = findings_.find(id);
  if (!rows.next() || !of) return std::nullopt;
  DraftRow row;
  rows.read(row.finding, row.title, row.body, row.repro, row.created_at);
  std::string checked;
  for (const TriageRow& decision : triage_.of(id)) checked = decision.checked.empty() ? checked : decision.checked;
  row.body = filled_draft(std::move(row.body), {.finding = *of,
                                                .checked = checked,
                                                .known = known_.matches(id),
                                                .traced = inspections_.find(id, "trace").has_value(),
                                                .sanitized = inspections_.sanitizer_words(id),
                                                .bisected = inspections_.bisected(id),
                                                .rechecks = rechecks_.of(id),
                                                .scripts = scripts_.runs(id),
                                                .change = fixes_.accepted(id)});
  return row;
}

std::string filled_draft(std::string body, const LaterFacts& facts) {
  // All slots come before any text of programs. Later ones are replaced first, since a person's text may contain
  // anything.
  replace_first(body, kTraceSlot,
                trace_paragraph(facts) + bisector_paragraph(facts.bisected) + script_paragraph(facts.scripts) +
                    sanitizer_paragraph(facts));
  std::string filled = facts.checked.empty() ? std::string(kEmptySlot) : quoted(facts.checked);
  if (!facts.known.empty()) filled += known_paragraph(facts.known);
  replace_first(body, kEmptySlot, filled);
  if (body.starts_with(kTorchLine)) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string line = torch_line(facts);
    body.replace(0, end, (line.empty() ? body.substr(0, end) : line) + devices_sentence(facts));
  }
  if (facts.change) body = with_change_section(std::move(body), *facts.change, kLongestBody);
  return body;
}

}  // namespace parityd::store
