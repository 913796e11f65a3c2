#include "store/draft_slots.h"

#include <fmt/format.h>

#include "store/text.h"

namespace parityd::store {
namespace {

constexpr std::string_view kEmptySlot = "> _…_\n";  // as store/draft.mustache has it, before any text of programs
constexpr std::string_view kTraceSlot = "**Trace log**: _…_\n";
constexpr std::size_t kCheckedLimit = 4'000;  // characters

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

std::string trace_paragraph(const LaterFacts& facts) {
  return facts.traced
             ? std::string("**Trace log**: attached as `trace.log` (`TORCH_TRACE`, for tlparse).\n")
             : fmt::format("**Trace log**: not gathered; `parityd inspect {} --tool trace` does.\n", facts.finding);
}

void replace_first(std::string& body, std::string_view slot, const std::string& text, std::size_t from) {
  const std::size_t at = body.find(slot, from);
  if (at != std::string::npos) body.replace(at, slot.size(), text);
}

}  // namespace

std::string filled_draft(std::string body, const LaterFacts& facts) {
  // Both stand before all text of programs; the later one first, for what a person checked may hold anything.
  replace_first(body, kTraceSlot, trace_paragraph(facts), 0);
  std::string filled = facts.checked.empty() ? std::string(kEmptySlot) : quoted(facts.checked);
  if (!facts.known.empty()) filled += known_paragraph(facts.known);
  replace_first(body, kEmptySlot, filled, 0);
  return body;
}

}  // namespace parityd::store
