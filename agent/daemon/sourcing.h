// Who writes programs: the provider, what it is asked within the budget, and what of torch's sources it is given to
// read. One thread (the loop's), inside its transaction.
#pragma once

#include <optional>
#include <vector>

#include "agent/daemon/life/workshop.h"
#include "agent/daemon/supply/generation.h"
#include "agent/reading/reading_room.h"

namespace parityd::agent {

struct SourcingParts {
  const prompts::PromptSet& prompts;
  Provider* provider = nullptr;                   // null: only what is queued
  executor::Sources* sources = nullptr;           // of the torch under test; null: no model is given them to read
  executor::Sources* previous_sources = nullptr;  // of the torch to compare them with, if configured
};

class Sourcing {
 public:
  /// References outlive it.
  Sourcing(Workshop& shop, const SourcingParts& parts);

  /// Reads on in torch's sources; once a turn.
  void service();
  /// Null without a provider.
  [[nodiscard]] Generation* generation() { return generation_ ? &*generation_ : nullptr; }
  [[nodiscard]] Provider* provider() { return provider_; }
  /// Requests without an answer.
  [[nodiscard]] int in_flight() const { return generation_ ? generation_->in_flight() : 0; }
  /// Those that a conversation waits for; nothing where outcomes are not told.
  [[nodiscard]] std::vector<Look> looks() const;

  void append_interests(std::vector<executor::Interest>& interests) const;
  [[nodiscard]] std::optional<executor::TimePoint> next_deadline() const;

 private:
  Turn& turn_;
  Provider* provider_;
  std::optional<ReadingRoom> reading_room_;
  std::optional<Generation> generation_;
};

}  // namespace parityd::agent
