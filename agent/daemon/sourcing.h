// The source of new programs: the provider, requests to it within the budget, and the parts of torch's sources that it
// is given to read. One thread (the loop's), inside its transaction.
#pragma once

#include <optional>
#include <vector>

#include "agent/daemon/life/workshop.h"
#include "agent/daemon/supply/generation.h"
#include "agent/reading/reading_room.h"

namespace parityd::agent {

struct SourcingParts {
  const prompts::PromptSet& prompts;
  Provider* provider = nullptr;                   // null: only queued programs are run
  executor::Sources* sources = nullptr;           // of the torch under test; null: no model is given sources to read
  executor::Sources* previous_sources = nullptr;  // of the torch to compare them with, if configured
};

class Sourcing {
 public:
  /// References outlive this object.
  Sourcing(Workshop& shop, const SourcingParts& parts);

  /// Continues reading torch's sources; call once per turn.
  void continue_reading();
  /// Whether requests should wait, because a model can soon be given what is being read. Not for long: whatever holds
  /// the scan up must not hold up the search.
  [[nodiscard]] bool reads() const;
  /// Null without a provider.
  [[nodiscard]] Generation* generation() { return generation_ ? &*generation_ : nullptr; }
  [[nodiscard]] Provider* provider() { return provider_; }
  /// Unanswered requests.
  [[nodiscard]] int in_flight() const { return generation_ ? generation_->in_flight() : 0; }
  /// Looks that a conversation waits for; empty if outcomes are not sent back.
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
