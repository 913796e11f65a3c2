#include "agent/cli/csv.h"

#include <string_view>

#include "agent/cli/table.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace {

std::string csv_cell(const std::string& raw) {
  std::string text = printable_line(raw);
  if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  return store::double_quoted(text);
}

}  // namespace

std::string csv_record(const std::vector<std::string>& cells) {
  std::string record;
  for (std::size_t index = 0; index < cells.size(); ++index) record += (index == 0 ? "" : ",") + csv_cell(cells[index]);
  return record + "\r\n";
}

}  // namespace parityd::agent
