#include "agent/cli/arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "agent/cli/reading.h"
#include "agent/cli/table.h"
#include "agent/daemon/scheduler.h"

namespace parityd::agent {
namespace {

constexpr std::uint64_t kDraws = 2000;

struct ShownArm {
  store::ArmRow arm;
  double rate = 0;    // points a dollar, believed
  double chance = 0;  // to be chosen next, at equal weights
};

/// The likeliest first.
std::vector<ShownArm> shown_arms(const store::Store& store) {
  const auto arms = store.arms();
  std::vector<Scheduler::Offer> offers;
  offers.reserve(arms.size());
  for (const auto& arm : arms) offers.push_back({.name = arm.name});
  std::map<std::string, double> chosen;
  for (std::uint64_t draw = 0; draw < kDraws && !offers.empty(); ++draw) {
    Scheduler scheduler(arms);  // of its own: a choice would count as in flight
    chosen[scheduler.choose(offers, draw)] += 1.0 / static_cast<double>(kDraws);
  }
  const Scheduler scheduler(arms);
  std::vector<ShownArm> shown;
  shown.reserve(arms.size());
  for (const auto& arm : arms)
    shown.push_back({.arm = arm, .rate = scheduler.mean_rate(arm.name), .chance = chosen[arm.name]});
  std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) { return a.chance > b.chance; });
  return shown;
}

}  // namespace

void print_arms(Context& context, const store::Store& store) {
  const auto arms = shown_arms(store);
  if (arms.empty()) {
    context.out << "no strategy has been asked yet: builtin asks none\n";
    return;
  }
  Table table({"arm", "pulls", "points", "dollars", "points a dollar", "next choice"});
  table.align_right({1, 2, 3, 4, 5});
  for (const auto& [arm, rate, chance] : arms) {
    table.add({printable_line(arm.name), fmt::format("{}", arm.pulls), fmt::format("{:.1f}", arm.reward),
               fmt::format("{:.5f}", arm.cost), fmt::format("{:.0f}", rate), fmt::format("{:.0f} %", 100 * chance)});
  }
  context.out << table.text(context.colour)
              << "Points and dollars are those of the last hundred pulls or so; the choice is by chance, dearer and "
                 "poorer arms seldom.\n";
}

nlohmann::json arms_json(const store::Store& store) {
  auto json = nlohmann::json::array();
  for (const auto& [arm, rate, chance] : shown_arms(store)) {
    json.push_back({{"arm", arm.name},
                    {"pulls", arm.pulls},
                    {"points", arm.reward},
                    {"dollars", arm.cost},
                    {"points_a_dollar", rate},
                    {"next_choice", chance}});
  }
  return json;
}

}  // namespace parityd::agent
