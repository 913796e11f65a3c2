#include "agent/cli/reports/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "agent/cli/reading.h"
#include "agent/cli/table.h"
#include "agent/daemon/supply/scheduler.h"

namespace parityd::agent {
namespace {

constexpr std::uint64_t kDraws = 2000;

struct ShownArm {
  Arm arm;
  double rate = 0;    // points a dollar, believed
  double chance = 0;  // of the next choice, at equal weights
};

/// The likeliest first.
std::vector<ShownArm> shown_arms(const store::Store& store) {
  const auto arms = strategy_arms(store.arms.all());
  const Scheduler scheduler(arms);
  std::vector<Scheduler::Offer> offers;
  offers.reserve(arms.size());
  for (const auto& arm : arms) offers.push_back({.name = arm.name});
  std::map<std::string, double> chosen;
  for (std::uint64_t draw = 0; draw < kDraws && !offers.empty(); ++draw) {
    chosen[scheduler.choose(offers, draw)] += 1.0 / static_cast<double>(kDraws);
  }
  std::vector<ShownArm> shown;
  shown.reserve(arms.size());
  for (const auto& arm : arms) {
    shown.push_back({.arm = arm, .rate = scheduler.mean_rate(arm.name), .chance = chosen[arm.name]});
  }
  std::ranges::stable_sort(shown, std::ranges::greater(), &ShownArm::chance);
  return shown;
}

}  // namespace

void print_arms(Context& context, const store::Store& store) {
  const auto arms = shown_arms(store);
  if (arms.empty()) {
    context.out << "nothing has been chosen yet: builtin asks no strategy\n";
    return;
  }
  Table table({"arm", "pulls", "points", "dollars", "points a dollar", "next choice"});
  table.align_right({1, 2, 3, 4, 5});
  for (const auto& [arm, rate, chance] : arms) {
    table.add({printable_line(arm.name), fmt::format("{}", arm.pulls), fmt::format("{:.1f}", arm.reward),
               fmt::format("{:.5f}", arm.cost), fmt::format("{:.0f}", rate), fmt::format("{:.0f} %", 100 * chance)});
  }
  context.out << coloured("Which strategy is asked", Colour::bold, context.screen.colour) << "\n"
              << table.text(context.screen)
              << "Points and dollars are those of the last hundred pulls or so; the choice is by chance,\n"
                 "dearer and poorer arms seldom.\n";
}

nlohmann::json arms_json(const store::Store& store) {
  auto json = nlohmann::json::array();
  for (const auto& [arm, rate, chance] : shown_arms(store)) {
    json.push_back({{"choice", "strategy"},
                    {"arm", arm.name},
                    {"pulls", arm.pulls},
                    {"points", arm.reward},
                    {"dollars", arm.cost},
                    {"points_a_dollar", rate},
                    {"next_choice", chance}});
  }
  return json;
}

}  // namespace parityd::agent
