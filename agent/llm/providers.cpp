#include "agent/llm/providers.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {

Providers::Providers(std::vector<Member> members) {
  members_.reserve(members.size());
  for (auto& member : members) {
    members_.push_back({.member = std::move(member)});
  }
}

std::string Providers::name() const {
  std::string names;
  for (const auto& each : members_) {
    names += (names.empty() ? "" : ", ") + each.member.provider->name();
  }
  return names;
}

std::string Providers::model() const {
  std::string models;
  for (const auto& each : members_) {
    models += (models.empty() ? "" : ", ") + each.member.provider->model();
  }
  return models;
}

bool Providers::can_repair() const {
  return std::any_of(members_.begin(), members_.end(), [](const State& each) {
    return each.member.provider->can_repair() && !each.member.provider->stopped();
  });
}

int Providers::capacity(TimePoint now) const {
  int all = 0;
  for (const auto& each : members_) {
    all += each.member.provider->capacity(now);
  }
  return all;
}

bool Providers::available() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const State& each) { return each.member.provider->available(); });
}

std::int64_t Providers::reserve_nano_dollars(const Prompt& prompt) const {
  std::int64_t most = 0;
  for (const auto& each : members_) {
    most = std::max(most, each.member.provider->reserve_nano_dollars(prompt));
  }
  return most;
}

void Providers::submit(RequestId id, Prompt prompt, TimePoint now) {
  for (auto& each : members_) {
    if (each.member.provider->name() == prompt.provider) {
      each.promised = std::max(0, each.promised - 1);
      each.member.provider->submit(id, std::move(prompt), now);
      return;
    }
  }
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
    if (!stopped) {
      return std::nullopt;
    }
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", each.member.provider->name(), *stopped);
  }
  return why;
}

void Providers::stop(const std::string& name, const std::string& why) {
  for (const auto& each : members_) {
    if (each.member.provider->name() == name) {
      each.member.provider->stop(name, why);
    }
  }
}

void Providers::reconfigure(const ProviderConfig& config, const Secret& key) {
  for (const auto& each : members_) {
    if (each.member.provider->name() == config.name) {
      each.member.provider->reconfigure(config, key);
    }
  }
}

void Providers::set_weight(const std::string& name, double weight) {
  for (auto& each : members_) {
    if (each.member.provider->name() == name) {
      each.member.weight = weight;
    }
  }
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
    return {};  // worth waiting for
  }
  std::sort(able.begin(), able.end(), [](const State* a, const State* b) { return a->served < b->served; });
  std::vector<Provider*> all;
  all.reserve(able.size() + fallbacks.size());
  for (const State* each : able) {
    all.push_back(each->member.provider.get());
  }
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
