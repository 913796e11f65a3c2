#include "agent/daemon/reload.h"

#include <algorithm>
#include <array>

namespace parityd::agent {
namespace {

template <auto Member>
bool same_member(const Config& current, const Config& next) {
  return current.*Member == next.*Member;
}

template <auto Member>
void keep_member(const Config& current, Config& next) {
  next.*Member = current.*Member;
}

template <auto Member>
constexpr ReloadRule live(std::string_view key) {
  return {.key = key, .live = true, .same = same_member<Member>};
}

template <auto Member>
constexpr ReloadRule needs_restart(std::string_view key) {
  return {.key = key, .live = false, .same = same_member<Member>, .keep = keep_member<Member>};
}

// The set of providers is fixed; their weights may change.
bool same_names(const Config& current, const Config& next) {
  return std::equal(current.run_providers.begin(), current.run_providers.end(), next.run_providers.begin(),
                    next.run_providers.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
}

bool same_dispositions(const Config& current, const Config& next) {
  const auto text = [](const auto& chosen) { return chosen ? chosen->text() : "pass"; };
  return std::equal(
      current.dispositions.begin(), current.dispositions.end(), next.dispositions.begin(), next.dispositions.end(),
      [&](const auto& a, const auto& b) { return a.first == b.first && text(a.second) == text(b.second); });
}

// The way a provider is accessed is fixed when it is opened.
bool same_way(const ProviderConfig& current, const ProviderConfig& next) {
  return current.kind == next.kind && current.record == next.record && current.replay == next.replay;
}

bool same_ways(const Config& current, const Config& next) {
  const auto names = opened_providers(current);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto found = next.providers.find(name);
    return found != next.providers.end() && same_way(current.providers.at(name), found->second);
  });
}

void keep_ways(const Config& current, Config& next) {
  for (const std::string& name : opened_providers(current)) {
    const ProviderConfig& before = current.providers.at(name);
    ProviderConfig& after = next.providers.try_emplace(name, before).first->second;
    if (!same_way(before, after)) after = before;
  }
}

constexpr std::array kRules{
    ReloadRule{.key = "run.provider", .live = false, .same = same_names, .keep = keep_member<&Config::run_providers>},
    live<&Config::run_providers>("run.provider"),  // the weights; after the rule above
    needs_restart<&Config::seed>("run.seed"),
    live<&Config::repair_rounds>("run.repair_rounds"),
    live<&Config::mutant_share>("run.mutant_share"),
    needs_restart<&Config::python>("executor.python"),
    needs_restart<&Config::device>("executor.device"),
    needs_restart<&Config::workers>("executor.workers"),
    needs_restart<&Config::fork_parents>("executor.fork_parents"),
    needs_restart<&Config::launch>("executor.launch"),
    needs_restart<&Config::cpu_share>("executor.cpu_share"),
    live<&Config::threads_share>("executor.threads_share"),
    live<&Config::own_random_share>("executor.own_random_share"),
    needs_restart<&Config::programs_per_worker>("executor.programs_per_worker"),
    needs_restart<&Config::spares>("executor.spares"),
    needs_restart<&Config::canary_every>("executor.canary_every"),
    needs_restart<&Config::sandbox>("executor.sandbox"),
    needs_restart<&Config::compile_deadline_seconds>("executor.compile_deadline_seconds"),
    needs_restart<&Config::program_deadline_seconds>("executor.program_deadline_seconds"),
    needs_restart<&Config::groups>("executor.group"),
    live<&Config::modes>("modes"),
    live<&Config::confirmation_rounds>("oracle.confirmation_rounds"),
    live<&Config::confirm_share>("oracle.confirm_share"),
    live<&Config::compile_share>("oracle.compile_share"),
    live<&Config::compile_sample>("oracle.compile_sample"),
    live<&Config::step_over_share>("oracle.step_over_share"),
    live<&Config::reduction_seconds>("oracle.reduction_seconds"),
    live<&Config::excuses_off>("oracle.excuses_off"),
    ReloadRule{.key = "disposition", .live = true, .same = same_dispositions},
    live<&Config::known_max_age>("known.max_age"),
    live<&Config::known_url>("known.url"),
    live<&Config::known_token_env>("known.token_env"),
    live<&Config::known_token_file>("known.token_file"),
    needs_restart<&Config::newest_python>("versions.newest"),
    needs_restart<&Config::previous_python>("versions.previous"),
    live<&Config::version_pythons>("versions.pythons"),
    live<&Config::sentinel_sample>("versions.sentinel_sample"),
    live<&Config::drafts_per_day>("queue.drafts_per_day"),
    live<&Config::dollars_per_hour>("budget.dollars_per_hour"),
    live<&Config::dollars_per_day>("budget.dollars_per_day"),
    live<&Config::dollars_total>("budget.dollars_total"),
    live<&Config::fix>("fix"),
    needs_restart<&Config::prompt_folders>("prompts.folders"),
    needs_restart<&Config::conversation_rounds>("prompts.conversation_rounds"),
    needs_restart<&Config::conversation_dollars>("prompts.conversation_dollars"),
    needs_restart<&Config::disk_floor_mebibytes>("store.disk_floor"),
    live<&Config::disk_cap_mebibytes>("store.disk_cap"),
    live<&Config::retention_max_age>("retention.max_age"),
    live<&Config::retention_max_programs>("retention.max_programs"),
    needs_restart<&Config::web>("web"),
    live<&Config::notify>("notify"),
    live<&Config::log>("log"),
    ReloadRule{.key = "provider.NAME.kind, record or replay", .live = false, .same = same_ways, .keep = keep_ways},
    live<&Config::providers>("provider"),
};

}  // namespace

std::span<const ReloadRule> reload_rules() { return kRules; }

Reloaded take_over(Config& current, Config next) {
  Reloaded reloaded;
  for (const ReloadRule& rule : kRules) {
    if (rule.same(current, next)) continue;
    (rule.live ? reloaded.changed : reloaded.needs_restart).emplace_back(rule.key);
    if (!rule.live) rule.keep(current, next);
  }
  current = std::move(next);
  return reloaded;
}

std::vector<std::string> opened_providers(const Config& config) {
  std::vector<std::string> names;
  for (const auto& share : config.run_providers) {
    const auto found = config.providers.find(share.name);
    if (found != config.providers.end() && found->second.asks_a_model()) names.push_back(share.name);
  }
  return names;
}

}  // namespace parityd::agent
