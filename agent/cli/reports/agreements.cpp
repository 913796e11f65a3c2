#include "agent/cli/reports/agreements.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "agent/cli/table.h"
#include "store/report/suspicion.h"

namespace parityd::agent {

void print_agreements(Context& context, const store::Store& store) {
  const auto rows = store::agreement_counts(store);
  if (rows.empty()) return;
  Table table({"strategy", "attribution agrees", "disagrees", "does not tell"});
  table.align_right({1, 2, 3});
  for (const auto& row : rows) {
    table.add(cells(row.strategy, row.agrees, row.disagrees, row.unknown));
  }
  context.out << "\n"
              << coloured("Hypotheses that led to findings", Colour::bold, context.screen.colour) << "\n"
              << table.text(context.screen);
}

nlohmann::json agreements_json(const store::Store& store) {
  auto all = nlohmann::json::array();
  for (const auto& row : store::agreement_counts(store)) {
    all.push_back(
        {{"strategy", row.strategy}, {"agrees", row.agrees}, {"disagrees", row.disagrees}, {"unknown", row.unknown}});
  }
  return all;
}

}  // namespace parityd::agent
