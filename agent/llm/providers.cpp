#include "agent/llm/providers.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {

Providers::Providers(std::vector<Member> members) {
  members_.reserve(members.size());
  for (auto& member : members) members_.push_back({.member = std::move(member)});
}

std::string Providers::joined(std::string (Provider::*text)() const) const {
  std::string all;
  for (const auto& each : members_) all += (all.empty() ? "" : ", ") + (each.member.provider.get()->*text)();
  return all;
}

template <class Action>
void Providers::for_named(const std::string& name, const Action& action) {
  for (auto& each : members_) {
    if (each.member.provider->name() == name) action(each.member);
  }
}

bool Providers::can_repair() const {
  return std::any_of(members_.begin(), members_.end(), [](const State& each) {
    return each.member.provider->can_repair() && !each.member.provider->stopped();
  });
}

int Providers::capacity(TimePoint now) const {
  int all = 0;
  for (const auto& each : members_) all += each.member.provider->capacity(now);
  return all;
}

bool Providers::available() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const State& each) { return each.member.provider->available(); });
}

std::int64_t Providers::reserve_nano_dollars(const Prompt& prompt) const {
  std::int64_t most = 0;
  for (const auto& each : members_) most = std::max(most, each.member.provider->reserve_nano_dollars(prompt));
  return most;
}

void Providers::submit(RequestId id, Prompt prompt, TimePoint now) {
  const auto to = std::ranges::find_if(
      members_, [&](const State& each) { return each.member.provider->name() == prompt.provider; });
  if (to == members_.end()) return;
  to->promised = std::max(0, to->promised - 1);
  to->member.provider->submit(id, std::move(prompt), now);
}

std::vector<Answer> Providers::take_answers(TimePoint now) {
  std::vector<Answer> all;
  for (const auto& each : members_) {
    auto answers = each.member.provider->take_answers(now);
    std::move(answers.begin(), answers.end(), std::back_inserter(all));
  }
  return all;
}

std::optional<TimePoint> Providers::next_deadline() const {
  std::optional<TimePoint> first;
  for (const auto& each : members_) {
    const auto deadline = each.member.provider->next_deadline();
    first = deadline && (!first || *deadline < *first) ? deadline : first;
  }
  return first;
}

std::optional<std::string> Providers::stopped() const {
  std::string why;
  for (const auto& each : members_) {
    const auto stopped = each.member.provider->stopped();
    if (!stopped) return std::nullopt;
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", each.member.provider->name(), *stopped);
  }
  return why;
}

void Providers::stop(const std::string& name, const std::string& why) {
  for_named(name, [&](Member& member) { member.provider->stop(name, why); });
}

void Providers::reconfigure(const ProviderConfig& config, const Secret& key) {
  for_named(config.name, [&](Member& member) { member.provider->reconfigure(config, key); });
}

void Providers::set_weight(const std::string& name, double weight) {
  for_named(name, [&](Member& member) { member.weight = weight; });
}

std::vector<Notice> Providers::take_notices() {
  std::vector<Notice> all;
  for (const auto& each : members_) {
    auto notices = each.member.provider->take_notices();
    std::move(notices.begin(), notices.end(), std::back_inserter(all));
  }
  return all;
}

bool Providers::has_room(const State& state, Purpose purpose, TimePoint now) {
  const Provider& provider = *state.member.provider;
  return provider.capacity(now) > state.promised && (purpose == Purpose::generate || provider.can_repair());
}

std::vector<Provider*> Providers::candidates(Purpose purpose, TimePoint now) {
  std::vector<const State*> able;
  std::vector<Provider*> fallbacks;
  bool full = false;
  for (auto& each : members_) {
    if (each.member.weight > 0) {
      if (has_room(each, purpose, now)) {
        able.push_back(&each);
      } else {
        each.served = std::max(each.served, reached_);
        full = full || each.member.provider->available();
      }
    } else if (has_room(each, purpose, now)) {
      fallbacks.push_back(each.member.provider.get());
    }
  }
  if (able.empty() && full) {
    return {};  // wait for the full ones
  }
  std::sort(able.begin(), able.end(), [](const State* a, const State* b) { return a->served < b->served; });
  std::vector<Provider*> all;
  all.reserve(able.size() + fallbacks.size());
  for (const State* each : able) all.push_back(each->member.provider.get());
  all.insert(all.end(), fallbacks.begin(), fallbacks.end());
  return all;
}

void Providers::promise(const Provider& candidate) {
  for (auto& each : members_) {
    if (each.member.provider.get() == &candidate) {
      each.promised += 1;
      if (each.member.weight > 0) {
        reached_ = std::max(reached_, each.served);
        each.served = reached_ + 1 / each.member.weight;
      }
    }
  }
}

}  // namespace parityd::agent
