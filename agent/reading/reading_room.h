// The reading room: the sources of the torch under test as chapters to give to a model. It fills while the daemon runs.
// One thread (the loop's); called inside the loop's transaction.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/reading/chapters.h"
#include "agent/reading/conversation.h"
#include "agent/reading/reading_facts.h"
#include "agent/reading/source_scan.h"
#include "prompts/reading.h"
#include "store/store.h"

namespace parityd::agent {

class ReadingRoom {
 public:
  /// `previous`: sources of the torch to compare with, read first; null: compare with the torch that the store saw
  /// before. `gpus`: whether programs run on a GPU; else code for GPUs is not read.
  ReadingRoom(executor::Sources& sources, executor::Sources* previous, store::Store& store,
              store::ConversationLimits limits, bool gpus);

  /// Continues the scan of the sources.
  void continue_scan(store::Millis wall);
  void append_interests(std::vector<executor::Interest>& interests) const;
  /// Whether there are chapters of that kind or, for outcomes, conversations that need no further look.
  [[nodiscard]] bool has(prompts::Reads what) const;

  struct Loan {
    store::ReadingRow reading;  // its reply is not set
    prompts::ReadingFacts facts;
  };
  /// The chapter to read next; nullopt if all rest.
  [[nodiscard]] std::optional<Loan> lend(prompts::Reads what, std::uint64_t seed) const;

  struct Talk {
    store::ReadingRow reading;          // the next round; its reply is not set
    std::vector<store::ReplyRow> said;  // the conversation so far
    prompts::OutcomeFacts facts;
  };
  /// The conversation to continue; nullopt if none is ready.
  [[nodiscard]] std::optional<Talk> go_on() const;

  /// Looks to make before the conversation can continue.
  [[nodiscard]] std::vector<Look> looks() const;

  /// Whether the scan goes on.
  [[nodiscard]] bool fills() const { return !filled_; }
  /// Returns the scan's problem and clears it; empty: none.
  [[nodiscard]] std::string take_problem();
  [[nodiscard]] bool open() const { return !chapters_.empty() && !chapters_of(prompts::Reads::chapter).empty(); }
  /// "15035 functions and texts of torch 2.13.0 in 460 chapters": for the log.
  [[nodiscard]] std::string in_words() const;

 private:
  void fill();
  void fill_changes(const store::SourceTorchRow& before);
  [[nodiscard]] bool may_be_read(const Chapter& chapter) const;
  [[nodiscard]] std::optional<store::SourceTorchRow> torch_before() const;
  [[nodiscard]] const std::vector<Chapter>& chapters_of(prompts::Reads what) const { return chapters_.at(what); }

  executor::Sources& sources_;
  executor::Sources* previous_sources_;
  store::Store& store_;
  store::ConversationLimits limits_;
  bool gpus_;
  std::optional<SourceScan> previous_;
  SourceScan scan_;
  bool filled_ = false;
  SourceShelf shelf_;
  std::map<prompts::Reads, std::vector<Chapter>> chapters_;
  std::string problem_;
};

}  // namespace parityd::agent
