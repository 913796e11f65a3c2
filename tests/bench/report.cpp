#include "tests/bench/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/cli/table.h"

namespace parityd::bench {
namespace {

/// Seconds of worker time a program and round, by what they went to.
std::map<std::string, double> parts_of(const Side& side, std::size_t programs) {
  std::map<std::string, double> parts;
  for (const Round& round : side.rounds) {
    for (const auto& [part, seconds] : round.parts) {
      parts[part] += seconds / static_cast<double>(side.rounds.size() * std::max<std::size_t>(programs, 1));
    }
  }
  return parts;
}

std::map<std::string, std::string> troubles_of(const Side& side) {
  std::map<std::string, std::string> all;
  for (const Round& round : side.rounds) {
    all.insert(round.troubles.begin(), round.troubles.end());
  }
  return all;
}

std::vector<double> seconds_of(const Side& side) {
  std::vector<double> seconds;
  std::ranges::transform(side.rounds, std::back_inserter(seconds), &Round::seconds);
  return seconds;
}

std::string table_of_times(const Report& report) {
  agent::Table table({"side", "workers", "median", "programs/s", "seconds of each repeat"});
  for (const Side& side : report.sides) {
    table.add({side.name, fmt::format("{}", side.workers), fmt::format("{:.2f} s", side.seconds()),
               fmt::format("{:.2f}", static_cast<double>(report.programs) / side.seconds()),
               fmt::format("{:.2f}", fmt::join(seconds_of(side), " "))});
  }
  return table.text({});
}

std::string table_of_parts(const Report& report) {
  std::set<std::string> names;
  std::vector<std::map<std::string, double>> parts;
  std::vector<std::string> headings{"worker seconds a program"};
  for (const Side& side : report.sides) {
    parts.push_back(parts_of(side, report.programs));
    headings.push_back(side.name);
    for (const auto& [name, seconds] : parts.back()) {
      names.insert(name);
    }
  }
  agent::Table table(headings);
  for (const std::string& name : names) {
    std::vector<std::string> cells{name};
    for (const auto& side : parts) {
      const auto found = side.find(name);
      cells.push_back(found == side.end() ? "-" : fmt::format("{:.3f}", found->second));
    }
    table.add(std::move(cells));
  }
  return table.text({});
}

}  // namespace

double Side::seconds() const { return median(seconds_of(*this)); }

std::string text(const Report& report) {
  std::string all = fmt::format("{}: {} programs on {}\n\n{}\n{}\n", report.benchmark, report.programs, report.machine,
                                table_of_times(report), table_of_parts(report));
  for (const Side& side : report.sides) {
    for (const auto& [program, trouble] : troubles_of(side)) {
      all += fmt::format("{}: {}: {}\n", side.name, program, trouble);
    }
  }
  if (!report.skipped.empty()) {
    all += fmt::format("without a program, left out: {}\n", fmt::join(report.skipped, ", "));
  }
  return agent::printable(all + fmt::format("\nratio {:.3f} ({})\n", report.ratio, report.meaning));
}

nlohmann::json json(const Report& report) {
  nlohmann::json sides = nlohmann::json::object();
  for (const Side& side : report.sides) {
    sides[side.name] = {{"workers", side.workers},
                        {"seconds", seconds_of(side)},
                        {"median", side.seconds()},
                        {"worker_seconds_a_program", parts_of(side, report.programs)},
                        {"troubles", troubles_of(side)}};
  }
  return {{"benchmark", report.benchmark}, {"ratio", report.ratio},       {"meaning", report.meaning},
          {"machine", report.machine},     {"programs", report.programs}, {"skipped", report.skipped},
          {"sides", std::move(sides)}};
}

}  // namespace parityd::bench
