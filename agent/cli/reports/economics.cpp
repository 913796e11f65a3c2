#include "agent/cli/reports/economics.h"

#include <algorithm>
#include <set>
#include <string>

#include "agent/cli/json.h"
#include "agent/cli/reports/statistics.h"
#include "agent/cli/table.h"
#include "agent/llm/price.h"

namespace parityd::agent {
namespace {

using store::YieldBy;
using store::YieldRow;

constexpr std::size_t kMostFiles = 10;

std::string each(double amount, std::int64_t number, int digits) {
  return number > 0 ? fmt::format("{:.{}f}", amount / static_cast<double>(number), digits) : "-";
}

using Cells = std::vector<std::string>;

Cells joined(Cells names, const Cells& rest) {
  names.insert(names.end(), rest.begin(), rest.end());
  return names;
}

/// Two tables, because one with all columns would be too wide; both start with the name columns.
class YieldTables {
 public:
  explicit YieldTables(const Cells& names)
      : costs_(joined(names, {"requests", "tokens in", "tokens out", "dollars", "worker s"})),
        brought_(joined(names, {"programs", "valid", "inconsistent", "ready", "$ each", "s each"})) {
    const std::size_t first = names.size();
    costs_.align_right({first, first + 1, first + 2, first + 3, first + 4});
    brought_.align_right({first, first + 1, first + 2, first + 3, first + 4, first + 5});
  }

  void add(const Cells& names, const store::Yield& row) {
    const double dollars = in_dollars(row.nano_dollars);
    costs_.add(joined(names, cells(row.replies, row.prompt_tokens, row.completion_tokens,
                                   fmt::format("{:.4f}", dollars), fmt::format("{:.1f}", row.worker_seconds))));
    brought_.add(joined(names, cells(row.programs, row.valid, row.inconsistent, row.ready, each(dollars, row.ready, 4),
                                     each(row.worker_seconds, row.ready, 1))));
  }

  void print(Context& context, const std::string& cost, const std::string& brought) const {
    context.heading(cost);
    context.out << costs_.text(context.screen);
    context.heading(brought);
    context.out << brought_.text(context.screen);
  }

 private:
  Table costs_, brought_;
};

bool brought_more(const YieldRow* one, const YieldRow* other) {
  return one->ready != other->ready ? one->ready > other->ready : one->inconsistent > other->inconsistent;
}

nlohmann::json named_json(const char* key, const std::vector<YieldRow>& rows) {
  return json_array(rows, [&](const YieldRow& row) {
    nlohmann::json json = yield_json(row);
    json["kind"] = row.kind;
    if (key != nullptr) json[key] = row.name;
    return json;
  });
}

}  // namespace

std::vector<YieldRow> most_telling(const std::vector<YieldRow>& rows, std::size_t most) {
  std::vector<const YieldRow*> fruitful;
  for (const auto& row : rows) {
    if (row.inconsistent > 0 || row.ready > 0) fruitful.push_back(&row);
  }
  std::ranges::stable_sort(fruitful, brought_more);
  std::set<const YieldRow*> chosen(fruitful.begin(),
                                   fruitful.begin() + static_cast<std::ptrdiff_t>(std::min(most / 2, fruitful.size())));
  for (const auto& row : rows) {
    if (chosen.size() < most) chosen.insert(&row);
  }
  std::vector<YieldRow> told;
  told.reserve(chosen.size());
  for (const YieldRow* const row : chosen) told.push_back(*row);  // pointers into one vector, in its order
  return told;
}

void print_strategy_yields(Context& context, const store::Store& store) {
  const auto rows = store.spending.yields(YieldBy::strategy);
  if (rows.empty()) return;
  YieldTables tables({"kind", "strategy"});
  for (const auto& all : store.spending.yields(YieldBy::kind)) {
    tables.add({all.kind, "all"}, all);
    for (const auto& row : rows) {
      if (row.kind == all.kind) tables.add({"", row.name.empty() ? "-" : row.name}, row);
    }
  }
  tables.print(context, "Cost of strategies", "Yield of strategies, and cost per ready finding");
}

void print_file_yields(Context& context, const store::Store& store) {
  const auto rows = store.spending.yields(YieldBy::file);
  if (rows.empty()) return;
  YieldTables tables({"file"});
  for (const auto& row : most_telling(rows, kMostFiles)) tables.add({row.name}, row);
  tables.print(
      context,
      fmt::format("Cost of reading, by file ({} of {}; all: --json)", std::min(rows.size(), kMostFiles), rows.size()),
      "Yield of reading, and cost per ready finding");
}

nlohmann::json strategy_yields_json(const store::Store& store) {
  return {{"strategies", named_json("strategy", store.spending.yields(YieldBy::strategy))},
          {"kinds", named_json(nullptr, store.spending.yields(YieldBy::kind))}};
}

nlohmann::json file_yields_json(const store::Store& store) {
  return named_json("file", store.spending.yields(YieldBy::file));
}

}  // namespace parityd::agent
