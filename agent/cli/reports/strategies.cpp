#include "agent/cli/reports/strategies.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "agent/cli/json.h"
#include "agent/cli/reports/economics.h"
#include "agent/cli/table.h"
#include "agent/daemon/supply/scheduler.h"
#include "store/report/suspicion.h"

namespace parityd::agent {
namespace {

constexpr std::uint64_t kDraws = 2000;

struct ShownArm {
  Arm arm;
  double rate = 0;    // believed points per dollar
  double chance = 0;  // probability of the next choice, at equal weights
};

/// Arms, the likeliest first.
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

void print_arms(Context& context, const store::Store& store) {
  const auto arms = shown_arms(store);
  if (arms.empty()) {
    context.out << "nothing has been chosen yet: builtin uses no strategies\n";
    return;
  }
  Table table({"arm", "pulls", "points", "dollars", "points per dollar", "next choice"});
  table.align_right({1, 2, 3, 4, 5});
  for (const auto& [arm, rate, chance] : arms) {
    table.add(cells(printable_line(arm.name), arm.pulls, fmt::format("{:.1f}", arm.reward),
                    fmt::format("{:.5f}", arm.cost), fmt::format("{:.0f}", rate),
                    fmt::format("{:.0f} %", 100 * chance)));
  }
  context.out << coloured("Which strategy is asked", Colour::bold, context.screen.colour) << "\n"
              << table.text(context.screen)
              << "Points and dollars are of about the last hundred pulls. The choice is random;\n"
                 "expensive or unproductive arms are chosen seldom.\n";
}

/// Prints how often attribution agreed with models' hypotheses.
void print_agreements(Context& context, const store::Store& store) {
  const auto rows = store::agreement_counts(store);
  if (rows.empty()) return;
  Table table({"strategy", "attribution agrees", "disagrees", "undecided"});
  table.align_right({1, 2, 3});
  for (const auto& row : rows) table.add(cells(row.strategy, row.agrees, row.disagrees, row.unknown));
  context.heading("Hypotheses that led to findings");
  context.out << table.text(context.screen);
}

nlohmann::json agreement_json(const store::AgreementCounts& row) {
  return {{"strategy", row.strategy}, {"agrees", row.agrees}, {"disagrees", row.disagrees}, {"unknown", row.unknown}};
}

}  // namespace

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

void print_strategies(Context& context, const store::Store& store) {
  print_arms(context, store);
  print_strategy_yields(context, store);
  print_agreements(context, store);
}

nlohmann::json learnt_json(const store::Store& store) {
  nlohmann::json json = strategy_yields_json(store);
  json["arms"] = arms_json(store);
  json["hypotheses"] = json_array(store::agreement_counts(store), agreement_json);
  return json;
}

}  // namespace parityd::agent
