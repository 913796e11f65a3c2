#include "oracle/mode.h"

#include <algorithm>
#include <array>

namespace parityd::oracle {
namespace {

constexpr auto kRows = std::to_array<ModeRow>({
#include "oracle/mode_rows.inc"
});

}  // namespace

std::span<const ModeRow> mode_rows() { return kRows; }
const ModeRow& row(Mode mode) { return kRows.at(static_cast<std::size_t>(mode)); }

std::vector<Mode> modes_of(Look look) {
  std::vector<Mode> modes;
  for (std::size_t index = 0; index < kRows.size(); ++index) {
    if (kRows.at(index).look == look) modes.push_back(static_cast<Mode>(index));
  }
  return modes;
}

std::string_view name(Mode mode) { return row(mode).name; }

std::optional<Mode> mode_from_name(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &ModeRow::name);
  return found == kRows.end() ? std::nullopt : std::optional(static_cast<Mode>(found - kRows.begin()));
}

bool is_eager(Mode mode) { return row(mode).backend.empty(); }
bool is_compiled_choice(Mode mode) { return row(mode).look == Look::chosen; }

}  // namespace parityd::oracle
