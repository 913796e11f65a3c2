#include "oracle/mode.h"

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

const std::vector<std::string_view>& names(Mode) {
  static const auto kNames = [] {
    std::vector<std::string_view> all;
    all.reserve(kRows.size());
    for (const ModeRow& row : kRows) all.push_back(row.name);
    return all;
  }();
  return kNames;
}

bool is_eager(Mode mode) { return row(mode).backend.empty(); }
bool is_exported(const ModeRow& row) { return row.route.starts_with("export"); }
bool is_exported(Mode mode) { return is_exported(row(mode)); }
bool is_compiled_choice(Mode mode) { return row(mode).look == Look::chosen; }

}  // namespace parityd::oracle
