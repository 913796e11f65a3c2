#include "store/draft_slots.h"

#include <fmt/format.h>

#include "store/text.h"

namespace parityd::store {
namespace {

constexpr std::string_view kEmptySlot = "> _…_\n";  // as store/draft.mustache has it, before any text of programs
constexpr std::size_t kCheckedLimit = 4'000;        // characters

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

}  // namespace

std::string filled_draft(std::string body, const std::string& checked, const std::vector<KnownMatch>& known) {
  const std::size_t slot = body.find(kEmptySlot);
  if (slot == std::string::npos) return body;
  std::string filled = checked.empty() ? std::string(kEmptySlot) : quoted(checked);
  if (!known.empty()) filled += known_paragraph(known);
  return body.replace(slot, kEmptySlot.size(), filled);
}

}  // namespace parityd::store
