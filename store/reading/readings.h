// The parts of torch's sources that models were given to read. Times are Unix milliseconds.
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
  std::string torch, torch_before;  // the latter for a change
  std::optional<Id> follows;        // the reply whose outcomes were reported to the model
  int round = 0;                    // of the conversation: 0 is the chapter, later ones report outcomes
  Millis at = 0;
  std::vector<ReadUnit> units;
};

/// Limits of a conversation about a chapter.
struct ConversationLimits {
  int rounds = 0;                 // after the first one
  std::int64_t nano_dollars = 0;  // it ends once its cost reaches this
};

/// The results of readings of a unit.
struct UnitReadingsRow {
  ReadUnit unit;
  std::int64_t readings = 0, programs = 0, inconsistent = 0, ready = 0;
  Millis last_at = 0;
};

/// How far a unit of one torch was read.
struct UnitReadRow {
  std::string file, name, area;
  int first_line = 0;
  bool changed = false;           // new or different since the torch before
  std::int64_t readings = 0;      // conversations that included it, in any torch
  std::int64_t as_is = 0;         // of these: with its current code
  std::int64_t inconsistent = 0;  // programs of these that are inconsistent
  std::int64_t ready = 0;         // findings worth an issue
};

/// How far an area of one torch was read.
struct AreaReadRow {
  std::string area;
  std::int64_t units = 0, read = 0, read_as_is = 0, readings = 0, fruitful = 0;
};

/// The parts of torch's sources that models were given to read. One thread.
class Readings : public Table {
 public:
  Readings(Connection& connection, const Replies& replies) : Table(connection), replies_(replies) {}

  Id add(const ReadingRow& row);
  [[nodiscard]] std::optional<ReadingRow> of(Id reply) const;
  /// The reading of that torch whose outcomes are to be reported to the model next; nullopt if none is complete.
  [[nodiscard]] std::optional<ReadingRow> to_follow(const std::string& torch, const ConversationLimits& limits) const;
  /// All rounds of the conversation that contains the reply, failed requests included, in order; empty if it is in
  /// none.
  [[nodiscard]] std::vector<ReadingRow> rounds_of(Id reply) const;
  /// The replies that led to this one, beginning with the chapter's, and this one.
  [[nodiscard]] std::vector<ReplyRow> conversation(Id reply) const;
  [[nodiscard]] std::vector<UnitReadingsRow> unit_readings() const;
  [[nodiscard]] std::vector<AreaReadRow> areas_read(Id torch) const;
  /// All units of a torch, or of one of its files, in the order of the files. `before`: the torch to compare with;
  /// nullopt: none.
  [[nodiscard]] std::vector<UnitReadRow> units_read(Id torch, std::optional<Id> before, const std::string& file) const;

 private:
  const Replies& replies_;
};

struct HypothesisRow {
  Id id = 0, reply = 0;
  int place = 0;  // in the reply: 1, 2, …
  std::string text;
  std::optional<Id> program;
  std::string outcome;              // in words; filled by queries
  std::optional<std::string> seen;  // the output of the look at its program, empty if it failed; nullopt: no look yet
};

/// A model's hypotheses about what it read, and their outcomes. One thread.
class Hypotheses : public Table {
 public:
  using Table::Table;

  /// If the place exists, only its program is set.
  void put(Id reply, int place, const std::string& text, std::optional<Id> program);
  /// Sets the output of the look at the hypothesis's program; empty: the look failed.
  void set_seen(Id hypothesis, const std::string& seen);
  /// Of a program, or of the program that it repairs.
  [[nodiscard]] std::optional<HypothesisRow> of_program(Id program) const;
  [[nodiscard]] std::vector<HypothesisRow> of_reply(Id reply) const;
  /// Findings that a hypothesis led to, without those merged into another one.
  [[nodiscard]] std::vector<Id> findings() const;
  /// Of readings that included one of these units, in any torch; newest first.
  [[nodiscard]] std::vector<HypothesisRow> about(const std::vector<ReadUnit>& units, int limit) const;
};

}  // namespace parityd::store
