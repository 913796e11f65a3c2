// What a model was given of torch's sources to read. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/table.h"
#include "store/reading/sources.h"
#include "store/work/replies.h"

namespace parityd::store {

/// A chapter that was given to a model.
struct ReadingRow {
  Id id = 0, reply = 0;
  std::string kind;  // "chapter", "change"
  std::string chapter;
  std::string torch, torch_before;  // the latter of a change
  std::optional<Id> follows;        // the reply whose outcomes the model was told
  int round = 0;                    // of the conversation: 0 the chapter, then its outcomes
  Millis at = 0;
  std::vector<ReadUnit> units;
};

/// When a conversation about a chapter goes on.
struct ConversationLimits {
  int rounds = 0;                 // after the first
  std::int64_t nano_dollars = 0;  // once it has cost so much it is over
};

/// What readings of a unit brought.
struct UnitReadingsRow {
  ReadUnit unit;
  std::int64_t readings = 0, programs = 0, inconsistent = 0, ready = 0;
  Millis last_at = 0;
};

/// How a unit of one torch was read.
struct UnitReadRow {
  std::string file, name, area;
  int first_line = 0;
  bool changed = false;           // new or another since the torch before
  std::int64_t readings = 0;      // conversations that had it, in any torch
  std::int64_t as_is = 0;         // of these: as it stands now
  std::int64_t inconsistent = 0;  // programs of these that compiled code runs otherwise
  std::int64_t ready = 0;         // findings worth an issue
};

/// How much of an area was read, of one torch.
struct AreaReadRow {
  std::string area;
  std::int64_t units = 0, read = 0, read_as_is = 0, readings = 0, fruitful = 0;
};

/// What a model was given of torch's sources to read. One thread.
class Readings : public Table {
 public:
  Readings(Connection& connection, const Replies& replies) : Table(connection), replies_(replies) {}

  Id add(const ReadingRow& row);
  [[nodiscard]] std::optional<ReadingRow> of(Id reply) const;
  /// The reading of that torch whose outcomes the model is to be told next; nothing where none is ripe.
  [[nodiscard]] std::optional<ReadingRow> to_follow(const std::string& torch, const ConversationLimits& limits) const;
  /// All rounds of the conversation that a reply is part of, failed requests included, in order; empty: of none.
  [[nodiscard]] std::vector<ReadingRow> rounds_of(Id reply) const;
  /// What led to this reply and itself, the chapter's first.
  [[nodiscard]] std::vector<ReplyRow> conversation(Id reply) const;
  [[nodiscard]] std::vector<UnitReadingsRow> unit_readings() const;
  [[nodiscard]] std::vector<AreaReadRow> areas_read(Id torch) const;
  /// All of a torch, or of one of its files, in the order of the files. `before`: to compare with; nothing: none.
  [[nodiscard]] std::vector<UnitReadRow> units_read(Id torch, std::optional<Id> before, const std::string& file) const;

 private:
  const Replies& replies_;
};

struct HypothesisRow {
  Id id = 0, reply = 0;
  int place = 0;  // in the reply: 1, 2, …
  std::string text;
  std::optional<Id> program;
  std::string outcome;              // in words; of what was read
  std::optional<std::string> seen;  // what a look at its program told, empty where that failed; nullopt: nobody looked
};

/// What a model supposed of what it read, and what came of it. One thread.
class Hypotheses : public Table {
 public:
  using Table::Table;

  /// The same place again: only its program is added.
  void put(Id reply, int place, const std::string& text, std::optional<Id> program);
  /// What a look at the hypothesis's program told; empty: it failed.
  void set_seen(Id hypothesis, const std::string& seen);
  /// Of a program, or of the one that it repairs.
  [[nodiscard]] std::optional<HypothesisRow> of_program(Id program) const;
  [[nodiscard]] std::vector<HypothesisRow> of_reply(Id reply) const;
  /// Those that a hypothesis led to, not those merged into another one.
  [[nodiscard]] std::vector<Id> findings() const;
  /// Of readings that held one of these units, in any torch; newest first.
  [[nodiscard]] std::vector<HypothesisRow> about(const std::vector<ReadUnit>& units, int limit) const;
};

}  // namespace parityd::store
