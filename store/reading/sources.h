// Rows about the sources of the torches under test, and about what a model was given of them to read. Times are Unix
// milliseconds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/base/records.h"

namespace parityd::store {

/// A torch whose sources were read.
struct SourceTorchRow {
  Id id = 0;
  std::string torch;
  std::string fingerprint;  // of its files; empty: reading them has not ended
  Millis first_at = 0, read_at = 0;
};

/// A torch, and the one that it is compared with, if there is one.
struct SourcesInUse {
  SourceTorchRow torch;
  std::optional<SourceTorchRow> before;
};

/// Of `rows`, which Store::source_torches() gave, the last one that was read to its end, up to the one with id
/// `before`; nothing: there is none.
[[nodiscard]] std::optional<SourceTorchRow> last_read(const std::vector<SourceTorchRow>& rows,
                                                      std::optional<Id> before = std::nullopt);

/// A function, method or registration of one torch.
struct SourceUnitRow {
  std::string file, name, area;
  int first_line = 0;
  std::string code;                                        // the same where it behaves alike
  std::vector<std::string> registers, operators;           // what registers it, for which operators
  std::vector<std::pair<std::string, std::string>> calls;  // file and name
  bool trivial = false;
  std::string text;  // written; what is read has the next three instead
  std::string text_hash;
  std::int64_t characters = 0, lines = 0;
};

/// Not code of the compiler, but what its users are promised, or what PyTorch tests its operators with
/// (executor/syntax/areas.py).
inline constexpr std::string_view kDocumentation = "documentation", kSamples = "samples";
[[nodiscard]] inline bool is_of_compiler(std::string_view area) { return area != kDocumentation && area != kSamples; }

/// A unit as it stood in a reading.
struct ReadUnit {
  std::string file, name, code;
};

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

struct HypothesisRow {
  Id id = 0, reply = 0;
  int place = 0;  // in the reply: 1, 2, …
  std::string text;
  std::optional<Id> program;
  std::string outcome;              // in words; of what was read
  std::optional<std::string> seen;  // what a look at its program told, empty where that failed; nullopt: nobody looked
};

/// How much of an area was read, of one torch.
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

struct AreaReadRow {
  std::string area;
  std::int64_t units = 0, read = 0, read_as_is = 0, readings = 0, fruitful = 0;
};

}  // namespace parityd::store
