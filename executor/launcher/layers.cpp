#include "executor/launcher/layers.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace parityd::launcher {
namespace {

struct Fact {
  Layer layer;
  std::string_view name;
  Level since;  // the lowest level that includes it
};
constexpr std::array<Fact, kLayers> kFacts{{{Layer::environment, "environment", Level::none},
                                            {Layer::session, "session", Level::none},
                                            {Layer::rlimits, "rlimits", Level::none},
                                            {Layer::no_new_privs, "no_new_privs", Level::reduced},
                                            {Layer::capabilities, "capabilities", Level::reduced},
                                            {Layer::identity, "identity", Level::reduced},
                                            {Layer::user, "user", Level::full},
                                            {Layer::mount, "mount", Level::full},
                                            {Layer::pid, "pid", Level::full},
                                            {Layer::network, "network", Level::full},
                                            {Layer::ipc, "ipc", Level::full},
                                            {Layer::uts, "uts", Level::full},
                                            {Layer::cgroup, "cgroup", Level::full},
                                            {Layer::landlock, "landlock", Level::reduced},
                                            {Layer::seccomp, "seccomp", Level::reduced},
                                            {Layer::hidden, "hidden", Level::reduced},
                                            {Layer::child_user, "child_user", Level::full},
                                            {Layer::child_processes, "child_processes", Level::full}}};

constexpr std::array<std::pair<std::string_view, Level>, 4> kLevels{
    {{"none", Level::none}, {"reduced", Level::reduced}, {"full", Level::full}, {"auto", Level::automatic}}};

const Fact& fact(Layer layer) { return kFacts[static_cast<std::size_t>(layer)]; }

}  // namespace

std::optional<Level> level_of(std::string_view name) {
  const auto* const found = std::ranges::find(kLevels, name, &std::pair<std::string_view, Level>::first);
  return found == kLevels.end() ? std::nullopt : std::optional(found->second);
}

std::string_view name_of(Level level) { return kLevels[static_cast<std::size_t>(level)].first; }

std::optional<Layer> layer_of(std::string_view name) {
  const auto* const found = std::ranges::find(kFacts, name, &Fact::name);
  return found == kFacts.end() ? std::nullopt : std::optional(found->layer);
}

std::string_view name_of(Layer layer) { return fact(layer).name; }

std::string all_layer_names() {
  std::string names;
  for (const auto& known : kFacts) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return names;
}

Layers::Layers(Level level) {
  for (const auto& known : kFacts) {
    if (known.since > level) {
      switch_off(known.layer, "not part of level " + std::string(name_of(level)));
    }
  }
}

void Layers::switch_off(Layer layer, std::string why) {
  states_[index(layer)] = {.on = false, .why = std::move(why), .left_out = false};
}

bool Layers::counts_as_on(Layer layer, Level wanted) const {
  switch (layer) {
    case Layer::identity:
      return on(layer) || on(Layer::user) || wanted == Level::reduced;  // only root can become another user
    case Layer::user:
      return on(layer) || on(Layer::identity);
    case Layer::landlock:
      return on(layer) || (wanted == Level::reduced && on(Layer::mount));  // either one hides other users' files
    default:
      return on(layer);
  }
}

bool Layers::has_all(Level wanted) const {
  return std::ranges::all_of(kFacts,
                             [&](const Fact& it) { return it.since > wanted || counts_as_on(it.layer, wanted); });
}

Level Layers::level() const {
  for (const Level level : {Level::full, Level::reduced}) {
    if (has_all(level)) return level;
  }
  return Level::none;
}

std::string Layers::missing_for(Level wanted) const {
  std::string missing;
  for (const auto& known : kFacts) {
    if (known.since <= wanted && !counts_as_on(known.layer, wanted)) {
      missing += (missing.empty() ? "" : ", ") + std::string(known.name) + " (" + why(known.layer) + ")";
    }
  }
  return missing;
}

std::string Layers::report(double setup_milliseconds) const {
  auto layers = nlohmann::json::array();
  for (const auto& known : kFacts) {
    if (states_[index(known.layer)].left_out) continue;
    layers.push_back({{"name", known.name}, {"on", on(known.layer)}, {"why", why(known.layer)}});
  }
  return nlohmann::json{
      {"level", name_of(level())}, {"setup_milliseconds", setup_milliseconds}, {"layers", std::move(layers)}}
      .dump();
}

}  // namespace parityd::launcher
