#include "agent/cli/reports/strategies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/json.h"
#include "agent/cli/reports/economics.h"
#include "agent/cli/table.h"
#include "agent/daemon/supply/choices.h"
#include "store/report/suspicion.h"

namespace parityd::agent {
namespace {

constexpr std::uint64_t kDraws = 2000;

struct ShownArm {
  store::ArmRow arm;
  double rate = 0;                    // points a dollar, believed
  std::optional<double> chance = {};  // of the next choice, at equal weights; of a repair: that it is asked for
};

struct ShownChoice {
  std::string name;     // in JSON
  std::string heading;  // for people
  std::string chance;   // what its chance is that of
  std::vector<ShownArm> arms;
};

/// The share of draws in which it is so.
template <class Holds>
double share_of_draws(const Holds& holds) {
  int times = 0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) times += holds(draw) ? 1 : 0;
  return times / static_cast<double>(kDraws);
}

/// The likeliest first.
void likeliest_first(std::vector<ShownArm>& arms) {
  std::stable_sort(arms.begin(), arms.end(),
                   [](const auto& one, const auto& other) { return one.chance > other.chance; });
}

/// Arms of which one is chosen.
std::vector<ShownArm> one_of(const std::vector<store::ArmRow>& arms, const Scheduler& scheduler) {
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
  likeliest_first(shown);
  return shown;
}

/// Classes of errors, each against a new program; that one last.
std::vector<ShownArm> repair_arms(const std::vector<store::ArmRow>& arms, const Choices& choices) {
  std::vector<ShownArm> shown;
  shown.reserve(arms.size());
  for (const auto& arm : arms) {
    ShownArm& each = shown.emplace_back(ShownArm{.arm = arm, .rate = choices.repairs().mean_rate(arm.name)});
    if (arm.name != kNewProgram) {
      const std::string error_class = arm.name.substr(arm_of_repair("").size());
      each.chance = share_of_draws([&](std::uint64_t draw) { return choices.worth_repairing(error_class, draw); });
    }
  }
  likeliest_first(shown);
  return shown;
}

std::vector<ShownChoice> shown_choices(const store::Store& store) {
  const auto all = store.arms.all();
  const Choices choices(all);
  const auto starting = [&](const std::string& start) {
    std::vector<store::ArmRow> arms;
    for (const auto& arm : all) {
      if (arm.name.starts_with(start)) arms.push_back(arm);
    }
    return arms;
  };
  auto competing = starting(arm_of_repair(""));
  for (const auto& arm : starting(kNewProgram)) competing.push_back(arm);
  return {{"strategy", "Which strategy is asked", "next choice",
           one_of(starting(arm_of_strategy("")), choices.strategies())},
          {"repair", "Which errors are repaired, and not dropped for a new program", "repaired",
           repair_arms(competing, choices)},
          {"parent", "Which programs become parents of mutants", "next choice",
           one_of(starting(arm_of_parent({})), choices.parents())}};
}

void print_arms(Context& context, const store::Store& store) {
  bool any = false;
  for (const auto& choice : shown_choices(store)) {
    if (choice.arms.empty()) continue;
    Table table({"arm", "pulls", "points", "dollars", "points a dollar", choice.chance});
    table.align_right({1, 2, 3, 4, 5});
    for (const auto& [arm, rate, chance] : choice.arms) {
      table.add(cells(printable_line(arm.name), arm.pulls, fmt::format("{:.1f}", arm.reward),
                      fmt::format("{:.5f}", arm.cost), fmt::format("{:.0f}", rate),
                      chance ? fmt::format("{:.0f} %", 100 * *chance) : "-"));
    }
    context.out << (any ? "\n" : "") << coloured(choice.heading, Colour::bold, context.screen.colour) << "\n"
                << table.text(context.screen);
    any = true;
  }
  if (!any) {
    context.out << "nothing has been chosen yet: builtin asks no strategy, and mutants need parents\n";
    return;
  }
  context.out << "Points and dollars are those of the last hundred pulls or so; the choice is by chance,\n"
                 "dearer and poorer arms seldom.\n";
}

/// How often attribution agreed with what models supposed.
void print_agreements(Context& context, const store::Store& store) {
  const auto rows = store::agreement_counts(store);
  if (rows.empty()) return;
  Table table({"strategy", "attribution agrees", "disagrees", "does not tell"});
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
  for (const auto& choice : shown_choices(store)) {
    for (const auto& [arm, rate, chance] : choice.arms) {
      json.push_back({{"choice", choice.name},
                      {"arm", arm.name},
                      {"pulls", arm.pulls},
                      {"points", arm.reward},
                      {"dollars", arm.cost},
                      {"points_a_dollar", rate},
                      {"next_choice", or_null(chance)}});
    }
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
