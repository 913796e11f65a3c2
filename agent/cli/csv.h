// Rows for spreadsheets: comma-separated values as RFC 4180 has them. Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace parityd::agent {

/// One record with its line end. Cells are quoted where they must be and hold one line of printable text; a cell that a
/// spreadsheet would take for a formula begins with an apostrophe.
[[nodiscard]] std::string csv_record(const std::vector<std::string>& cells);

}  // namespace parityd::agent
