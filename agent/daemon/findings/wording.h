// Wording: has a model write title and summary of findings that are ready, each once, one at a time, within the budget.
// Nothing it says counts unless the facts bear it out. One thread (the loop's); called inside the loop's transaction.
#pragma once

#include <optional>
#include <string>

#include "agent/config.h"
#include "agent/daemon/supply/generation.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "prompts/strategy.h"
#include "store/store.h"

namespace parityd::agent {

class Wording {
 public:
  /// `http` is the writer's own.
  Wording(const Config& config, const prompts::PromptSet& prompts, Provider& writer, HttpClient& http,
          store::Store& store);

  [[nodiscard]] bool in_flight() const { return asked_.has_value(); }

  /// Findings may have become ready. True at the start.
  void look_again() { look_ = true; }

  /// Asks about the worst finding that nobody was asked about; programs ran under `seed`.
  void ask(std::uint64_t seed, executor::TimePoint now, store::Millis wall, Outbox& outbox);

  /// Stores and returns what came of the finding asked about; nullopt while nothing has.
  [[nodiscard]] std::optional<store::DraftWords> take(executor::TimePoint now, store::Millis wall);

 private:
  struct Asked {
    store::ReplyRow row;
    store::Id finding = 0;
    std::string facts;
  };

  const Config& config_;
  const prompts::PromptSet& prompts_;
  Provider& writer_;
  HttpClient& http_;
  store::Store& store_;
  std::optional<Asked> asked_;
  bool look_ = true;
};

}  // namespace parityd::agent
