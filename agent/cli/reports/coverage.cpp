#include "agent/cli/reports/coverage.h"

#include <algorithm>
#include <string>

#include "agent/cli/reports/economics.h"
#include "agent/cli/store_json.h"
#include "agent/cli/table.h"

namespace parityd::agent {
namespace {

constexpr int kPoints = 8;
constexpr std::size_t kMostNamed = 30;

void print_kinds(Context& context, const std::vector<store::CoverageRow>& rows) {
  Table table({"kind", "reached", "listed", "reached of these"});
  table.align_right({1, 2, 3});
  for (const auto& row : rows) {
    const auto share = row.listed > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(row.reached_of_listed) /
                                                                    static_cast<double>(row.listed))
                                      : std::string();
    table.add(cells(printable_line(row.kind), row.reached, row.listed > 0 ? fmt::format("{}", row.listed) : "", share));
  }
  context.out << table.text(context.screen);
}

void print_growth(Context& context, const store::Store& store) {
  Table table({"up to program", "features reached"});
  table.align_right({0, 1});
  for (const auto& [program, features] : coverage_growth(store, kPoints)) table.add(cells(program, features));
  context.out << "\n" << table.text(context.screen);
}

void print_sources(Context& context, const store::Store& store) {
  Table table({"programs from", "strategy", "programs", "with new features", "features first"});
  table.align_right({2, 3, 4});
  for (const auto& row : store.coverage.by_source()) {
    table.add(cells(row.origin, printable_line(row.strategy), row.programs, row.with_new, row.features));
  }
  context.out << "\n" << table.text(context.screen);
}

/// Prints how much of the compiler's source models were given to read.
void print_readings(Context& context, const store::Store& store) {
  const auto sources = store.sources.in_use();
  if (!sources) return;
  Table table({"sources of torch " + printable_line(sources->torch.torch), "functions", "read", "read as they are now",
               "readings", "productive ones"});
  table.align_right({1, 2, 3, 4, 5});
  for (const auto& row : store.readings.areas_read(sources->torch.id)) {
    table.add(cells(printable_line(row.area), row.units, row.read, row.read_as_is, row.readings, row.fruitful));
  }
  context.out << "\n" << table.text(context.screen);
}

nlohmann::json readings_json(const store::Store& store) {
  const auto sources = store.sources.in_use();
  const auto areas = sources ? store.readings.areas_read(sources->torch.id) : std::vector<store::AreaReadRow>{};
  return {{"torch", sources ? sources->torch.torch : ""}, {"areas", areas}, {"files", file_yields_json(store)}};
}

void print_never_reached(Context& context, const store::Store& store, const std::string& kind) {
  const auto names = store.coverage.never_reached(kind);
  if (names.empty()) return;
  context.out << fmt::format("\nNever reached, {} of kind {}:\n", names.size(), printable_line(kind));
  std::string all;
  for (std::size_t index = 0; index < std::min(names.size(), kMostNamed); ++index) {
    all += " " + names[index].substr(kind.size() + 1);
  }
  all += names.size() > kMostNamed ? " … (all: --json)" : "";
  context.out << "  " << wrapped(all, 2, context.screen) << "\n";
}

}  // namespace

std::vector<std::pair<store::Id, std::size_t>> coverage_growth(const store::Store& store, int points) {
  const auto firsts = store.coverage.first_programs();
  std::vector<std::pair<store::Id, std::size_t>> grown;
  const store::Id last = store.programs.last();
  for (int point = 1; point <= points; ++point) {
    const store::Id upto = last * point / points;
    const auto reached = std::upper_bound(firsts.begin(), firsts.end(), upto) - firsts.begin();
    if (grown.empty() || grown.back().first != upto) grown.emplace_back(upto, static_cast<std::size_t>(reached));
  }
  return grown;
}

void print_coverage(Context& context, const store::Store& store) {
  const auto rows = store.coverage.by_kind();
  if (rows.empty()) {
    context.out << "no program has been compiled yet\n";
    return;
  }
  print_kinds(context, rows);
  print_growth(context, store);
  print_sources(context, store);
  print_readings(context, store);
  print_file_yields(context, store);
  for (const auto& row : rows) print_never_reached(context, store, row.kind);
}

nlohmann::json growth_json(const store::Store& store, int points) {
  return json_array(coverage_growth(store, points), [](const auto& point) -> nlohmann::json {
    return {{"program", point.first}, {"features", point.second}};
  });
}

nlohmann::json coverage_json(const store::Store& store) {
  const auto kinds = json_array(store.coverage.by_kind(), [&](const store::CoverageRow& row) {
    nlohmann::json json = row;
    json["never_reached"] = store.coverage.never_reached(row.kind);
    return json;
  });
  return {{"kinds", kinds},
          {"growth", growth_json(store, kPoints)},
          {"sources", store.coverage.by_source()},
          {"readings", readings_json(store)}};
}

}  // namespace parityd::agent
