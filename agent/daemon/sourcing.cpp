#include "agent/daemon/sourcing.h"

#include <chrono>
#include <cmath>

#include "executor/pool/pool.h"

namespace parityd::agent {
namespace {

store::ConversationLimits limits_of(const Config& config) {
  return {.rounds = config.conversation_rounds, .nano_dollars = std::llround(config.conversation_dollars * 1e9)};
}

constexpr std::chrono::minutes kPatience{2};

bool has_gpu(const executor::Workers& pool) {
  for (executor::GroupIndex group = 0; group < pool.groups(); ++group) {
    if (oracle::is_gpu(pool.config(group).device)) return true;
  }
  return false;
}

}  // namespace

Sourcing::Sourcing(Workshop& shop, const SourcingParts& parts) : turn_(shop.turn), provider_(parts.provider) {
  if (provider_ == nullptr) return;
  generation_.emplace(turn_.config, parts.prompts, *provider_, turn_.store, shop.earnings.strategies());
  if (parts.sources != nullptr) {
    reading_room_.emplace(*parts.sources, parts.previous_sources, turn_.store, limits_of(turn_.config),
                          has_gpu(turn_.pool));
    generation_->read_in(*reading_room_);
  }
}

bool Sourcing::reads() const {
  return reading_room_ && reading_room_->fills() && turn_.now < turn_.started + kPatience;
}

void Sourcing::continue_reading() {
  if (!reading_room_) return;
  const bool was_open = reading_room_->open();
  reading_room_->continue_scan(turn_.wall);
  if (const std::string problem = reading_room_->take_problem(); !problem.empty()) {
    turn_.note("sources", "some of torch's sources cannot be read: " + problem);
  }
  if (!was_open && reading_room_->open()) turn_.note("sources", reading_room_->in_words());
}

std::vector<Look> Sourcing::looks() const {
  return reading_room_ && generation_->tells_outcomes() ? reading_room_->looks() : std::vector<Look>();
}

void Sourcing::append_interests(std::vector<executor::Interest>& interests) const {
  if (reading_room_) reading_room_->append_interests(interests);
}

std::optional<executor::TimePoint> Sourcing::next_deadline() const {
  return provider_ != nullptr ? provider_->next_deadline() : std::nullopt;
}

}  // namespace parityd::agent
