// The reading room: the sources of the torch under test, as chapters that a model may be given next. It fills by itself
// while the daemon runs. One thread (the loop's); called inside the loop's transaction.
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
  /// `previous`: of the torch to compare with, read first; null: the one that the store has seen before.
  ReadingRoom(executor::Sources& sources, executor::Sources* previous, store::Store& store,
              store::ConversationLimits limits);

  /// Goes on with the scan of the sources.
  void service(store::Millis wall);
  void append_interests(std::vector<executor::Interest>& interests) const;
  /// Whether there are chapters of that kind, or outcomes to tell that need no further look.
  [[nodiscard]] bool has(prompts::Reads what) const;

  struct Loan {
    store::ReadingRow reading;  // without its reply
    prompts::ReadingFacts facts;
  };
  /// The chapter to read next; nothing where all rest.
  [[nodiscard]] std::optional<Loan> lend(prompts::Reads what, std::uint64_t seed) const;

  struct Talk {
    store::ReadingRow reading;          // the next round, without its reply
    std::vector<store::ReplyRow> said;  // before it
    prompts::OutcomeFacts facts;
  };
  /// The conversation to go on with; nothing where none is ripe.
  [[nodiscard]] std::optional<Talk> go_on() const;

  /// To be made before it goes on.
  [[nodiscard]] std::vector<Look> looks() const;

  /// What went wrong with the scan, once.
  [[nodiscard]] std::string take_problem();
  [[nodiscard]] bool open() const { return !chapters_.empty() && !chapters_of(prompts::Reads::chapter).empty(); }
  /// "15035 functions and texts of torch 2.13.0 in 460 chapters": for the log.
  [[nodiscard]] std::string in_words() const;

 private:
  void fill();
  void fill_changes(const store::SourceTorchRow& before);
  [[nodiscard]] std::optional<store::SourceTorchRow> torch_before() const;
  [[nodiscard]] const std::vector<Chapter>& chapters_of(prompts::Reads what) const { return chapters_.at(what); }

  executor::Sources& sources_;
  executor::Sources* previous_sources_;
  store::Store& store_;
  store::ConversationLimits limits_;
  std::optional<SourceScan> previous_;
  SourceScan scan_;
  bool filled_ = false;
  SourceShelf shelf_;
  std::map<prompts::Reads, std::vector<Chapter>> chapters_;
  std::string problem_;
};

}  // namespace parityd::agent
