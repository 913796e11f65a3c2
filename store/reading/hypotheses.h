// What a model supposed of what it read, and what came of it. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/base/ids.h"
#include "store/reading/sources.h"

namespace parityd::store {

class Connection;

struct HypothesisRow {
  Id id = 0, reply = 0;
  int place = 0;  // in the reply: 1, 2, …
  std::string text;
  std::optional<Id> program;
  std::string outcome;              // in words; of what was read
  std::optional<std::string> seen;  // what a look at its program told, empty where that failed; nullopt: nobody looked
};

/// What a model supposed of what it read, and what came of it. One thread.
class Hypotheses {
 public:
  explicit Hypotheses(Connection& connection) : connection_(connection) {}

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

 private:
  Connection& connection_;
};

}  // namespace parityd::store
