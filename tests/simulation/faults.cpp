#include "tests/simulation/faults.h"

#include <algorithm>
#include <array>
#include <random>

namespace parityd::simulation {
namespace {

using namespace std::chrono_literals;
using Random = std::mt19937_64;
using std::chrono::milliseconds;

milliseconds between(Random& random, milliseconds least, milliseconds most) {
  return milliseconds(std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random));
}

/// Moments at which something happens that comes once in `every` on average.
std::vector<TimePoint> moments(Random& random, TimePoint begin, TimePoint end, milliseconds every) {
  std::vector<TimePoint> all;
  std::exponential_distribution<double> gap(1.0 / static_cast<double>(every.count()));
  for (TimePoint at = begin;;) {
    at += milliseconds(static_cast<std::int64_t>(gap(random)));
    if (at >= end) {
      return all;
    }
    all.push_back(at);
  }
}

/// One does not begin before the last has ended.
std::vector<Spell> spells(Random& random, TimePoint begin, TimePoint end, milliseconds every, milliseconds least,
                          milliseconds most) {
  std::vector<Spell> all;
  for (const TimePoint at : moments(random, begin, end, every)) {
    const milliseconds length = between(random, least, most);
    if (all.empty() || at > all.back().end + 10min) {
      all.push_back({.begin = at, .end = at + length});
    }
  }
  return all;
}

Jump drawn_jump(Random& random, TimePoint at) {
  switch (random() % 4) {
    case 0:
      return {.at = at, .wall = random() % 2 == 0 ? 24h : -24h};
    case 1:
      return {.at = at, .wall = random() % 2 == 0 ? 1h : -1h};  // what a summer time does to a badly set clock
    case 2:
      return {.at = at, .wall = between(random, 1min, 8h)};  // suspended
    default:
      return {.at = at, .monotonic = between(random, 1min, 2h)};  // stopped
  }
}

}  // namespace

std::string_view name(Weather weather) {
  constexpr std::array<std::string_view, 7> kNames{"fine",   "refused", "failing", "limited",
                                                   "silent", "garbled", "bad key"};
  return kNames.at(static_cast<std::size_t>(weather));
}

Faults drawn_faults(std::uint64_t seed, TimePoint begin, TimePoint end) {
  Random random(seed);
  Faults faults{.worker_deaths = 0.01, .harness_failures = 0.001};
  faults.api = spells(random, begin, end, 6h, 1min, 5h);
  for (Spell& spell : faults.api) {
    spell.weather = static_cast<Weather>(1 + random() % 6);
  }
  faults.workers = spells(random, begin, end, 36h, 1min, 1h);
  faults.disk = spells(random, begin, end, 48h, 1min, 2h);
  for (const TimePoint at : moments(random, begin, end, 24h)) {
    faults.jumps.push_back(drawn_jump(random, at));
  }
  for (const TimePoint at : moments(random, begin, end, 3h)) {
    Kill kill{.at = at, .point = std::nullopt, .passage = 1 + static_cast<int>(random() % 3)};
    if (const auto number = random() % 24; number <= static_cast<std::uint64_t>(agent::KillPoint::after_commit)) {
      kill.point = static_cast<agent::KillPoint>(number);
    }
    faults.kills.push_back(kill);
  }
  return faults;
}

const Spell* spell_at(const std::vector<Spell>& spells, TimePoint now) {
  const auto found =
      std::ranges::find_if(spells, [now](const Spell& spell) { return spell.begin <= now && now < spell.end; });
  return found == spells.end() ? nullptr : &*found;
}

std::optional<TimePoint> next_change(const std::vector<Spell>& spells, TimePoint now) {
  std::optional<TimePoint> next;
  for (const Spell& spell : spells) {
    for (const TimePoint at : {spell.begin, spell.end}) {
      if (at > now) {
        next = std::min(next.value_or(at), at);
      }
    }
  }
  return next;
}

}  // namespace parityd::simulation
