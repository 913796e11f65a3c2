// Requests to models and their replies, and repairs. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "store/base/table.h"
#include "store/work/programs.h"

namespace parityd::store {

using oracle::name;

enum class ReplyState {
  reserved,
  answered,
  failed,
  unknown
};  // reserved at a restart becomes unknown: it stays charged
constexpr auto names(ReplyState) {
  return std::to_array<std::string_view>({"reserved", "answered", "failed", "unknown"});
}

/// The purpose of a request; `draft`, the wording of a title, was only used by an older parityd.
enum class ReplyPurpose { generate, repair, draft };
constexpr auto names(ReplyPurpose) { return std::to_array<std::string_view>({"generate", "repair", "draft"}); }

struct ReplyRow {
  Id id = 0;
  std::string provider, model, strategy;
  ReplyPurpose purpose = ReplyPurpose::generate;
  std::optional<Id> program;  // repair: the invalid program
  ReplyState state = ReplyState::reserved;
  bool processed = false;  // its program (or class) has been stored
  std::string prompt, text;
  std::string klass;               // ReplyClass's name once processed
  std::string finish;              // "stop", "length", …
  std::optional<Origin> origin;    // builtin: corpus, mutant, composed; unset for a model's reply
  std::int64_t prompt_tokens = 0;  // all of them; of these:
  std::int64_t cached_tokens = 0, cache_write_tokens = 0;
  std::int64_t completion_tokens = 0;  // all of them; of these:
  std::int64_t reasoning_tokens = 0;
  bool usage_estimated = false;  // the server reported no usage
  std::int64_t reserved_nano_dollars = 0, cost_nano_dollars = 0;
  std::int64_t latency_ms = 0;
  int attempts = 0;
  std::string error;
  std::uint64_t seed = 0;
  Millis reserved_at = 0, ended_at = 0;
};

/// The content of replies to one kind of prompt: "program", "refusal", "empty", …
struct ReplyClassCount {
  ReplyPurpose purpose = ReplyPurpose::generate;
  std::string klass;
  std::int64_t replies = 0;
};

/// Requests to models and their replies. One thread.
class Replies : public Table {
 public:
  using Table::Table;

  Id reserve(const ReplyRow& row);  // state reserved; returns its id
  void end(const ReplyRow& row);    // answered, failed or unknown, with text, tokens, cost
  void mark_processed(Id reply, const std::string& klass);
  [[nodiscard]] std::vector<ReplyRow> unprocessed() const;  // answered, not processed
  /// At start: reserved rows become unknown, charged at their reservation. Returns them.
  std::vector<ReplyRow> abandon_reserved(Millis now);
  /// Nano-dollars settled or reserved since `since`.
  [[nodiscard]] std::int64_t spent_since(Millis since) const;
  [[nodiscard]] std::optional<ReplyRow> find(Id id) const;
  /// Replies with a smaller id than `before`, newest first.
  [[nodiscard]] std::vector<ReplyRow> before(Id before, int limit) const;
  [[nodiscard]] std::vector<ReplyClassCount> classes_since(Millis since) const;
};

using oracle::name;

/// The result of asking for a repair: a new program; one that lost the operators under test (which counts as a new
/// program); a known program; no program; a failed request; or the repair was not worth asking for.
enum class RepairResult { asked, program, lost_operators, duplicate, no_program, failed, declined };
constexpr auto names(RepairResult) {
  return std::to_array<std::string_view>(
      {"asked", "program", "lost_operators", "duplicate", "no_program", "failed", "declined"});
}

/// Repairs of one class of errors in one round.
struct RepairYield {
  std::string error_class;
  int round = 0;
  std::int64_t asked = 0, programs = 0;
  std::int64_t valid = 0;       // of those programs
  std::int64_t same_error = 0;  // programs that raised the same error again
  std::int64_t lost_operators = 0, declined = 0;
};

/// Repairs by class of error, and their results. One thread.
class Repairs : public Table {
 public:
  using Table::Table;

  /// Books the repair of an invalid program when it is requested (or declined); a request repeated after a restart
  /// stays one row.
  void add(Id program, const std::string& error_class, int round, RepairResult result, Millis at);
  void end(Id program, RepairResult result);
  [[nodiscard]] std::string class_of(Id program) const;  // "" if none was booked
  [[nodiscard]] std::vector<RepairYield> yield_since(Millis since) const;
};

}  // namespace parityd::store
