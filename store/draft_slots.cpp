#include "store/draft_slots.h"

#include <fmt/format.h>

#include "store/text.h"
#include "store/torch_version.h"
#include "store/version_range.h"

namespace parityd::store {
namespace {

constexpr std::string_view kEmptySlot = "> _…_\n";  // as store/draft.mustache has it, before any text of programs
constexpr std::string_view kTorchLine = "_Seen with torch ";  // begins the line that says which torches were tried
constexpr std::size_t kCheckedLimit = 4'000;                  // characters

std::string quoted(const std::string& text) { return "> " + prose(shortened(clean_line(text), kCheckedLimit)) + "\n"; }

/// Issues by number alone: a reference would show up in each of them.
std::string known_paragraph(const std::vector<KnownMatch>& known) {
  std::string text = "\n**Possibly known** (for the person who files this: read these first, then delete the list)\n\n";
  for (const KnownMatch& match : known) {
    text += fmt::format("* issue {} ({}), {}: {}\n", match.issue, match.state,
                        match.confident ? "confident" : "possible", prose(match.reason));
  }
  return text;
}

/// Empty: no other torch was tried or is to be.
std::string torch_line(const FindingRow& finding, const std::vector<RecheckRow>& rechecks) {
  const auto tried = torches_tried(finding, rechecks);
  const std::string range = range_text(finding, tried);
  if (!range.empty()) {
    const bool newer = compare_torch(tried.back().torch, finding.torch) > 0;
    return fmt::format("_Versions tried: torch {}; {}.{}_", prose(torches_text(tried)), prose(range),
                       newer ? "" : " No newer torch or nightly has been tried.");
  }
  if (finding.disposition != "held(untried)") return {};
  return fmt::format("_Seen with torch {} only; the newest torch configured has not tried it yet._",
                     inline_code(finding.torch));
}

}  // namespace

std::string with_torches(std::string body, const FindingRow& finding, const std::vector<RecheckRow>& rechecks) {
  const std::string line = torch_line(finding, rechecks);
  if (line.empty() || !body.starts_with(kTorchLine)) return body;
  return body.replace(0, std::min(body.find('\n'), body.size()), line);
}

std::string filled_draft(std::string body, const std::string& checked, const std::vector<KnownMatch>& known) {
  const std::size_t slot = body.find(kEmptySlot);
  if (slot == std::string::npos) return body;
  std::string filled = checked.empty() ? std::string(kEmptySlot) : quoted(checked);
  if (!known.empty()) filled += known_paragraph(known);
  return body.replace(slot, kEmptySlot.size(), filled);
}

}  // namespace parityd::store
