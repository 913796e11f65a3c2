// Programs and their progress. Times are Unix milliseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/names.h"
#include "oracle/rules/verdict.h"
#include "store/base/table.h"

namespace parityd::store {

using oracle::name;

/// `queued`: to be screened. `repairing`: waits for a repair's reply. `confirming`: a suspect with confirmation rounds
/// to go. `finished`: has its verdict.
enum class ProgramState { queued, repairing, confirming, finished };
constexpr auto names(ProgramState) {
  return std::to_array<std::string_view>({"queued", "repairing", "confirming", "finished"});
}

/// Where a program comes from. `residual`: what remains of a program once its known fault is masked. `sentinel`: a
/// consistent program that runs again on another torch.
enum class Origin { reply, repair, corpus, mutant, composed, import, residual, sentinel };
constexpr auto names(Origin) {
  return std::to_array<std::string_view>(
      {"reply", "repair", "corpus", "mutant", "composed", "import", "residual", "sentinel"});
}

/// Made by parityd or a model. Imported programs run unmodified, and so do those that run again or remain of another
/// one.
[[nodiscard]] constexpr bool is_made(Origin origin) {
  return origin != Origin::import && origin != Origin::residual && origin != Origin::sentinel;
}

struct ProgramRow {
  Id id = 0;
  std::string identity;
  std::string text;
  Origin origin = Origin::reply;
  std::string source;  // file name for imports
  std::string strategy;
  std::optional<Id> reply, parent;  // parent: the invalid program that a repair answers, or a mutant's origin
  Id root = 0;                      // first program of a repair chain; own id otherwise
  int round = 0;                    // 0 first program, 1.. repairs
  ProgramState state = ProgramState::queued;
  std::string next_step, why;  // in words: what happens next, and why
  int confirmation_hits = 0, confirmation_rounds = 0;
  std::string options_json = "{}";
  std::optional<oracle::Verdict> verdict;  // set once finished
  std::string error_key;                   // normalised error: stops a repair that repeats it
  Millis created_at = 0, finished_at = 0;
};

/// A program that is inconsistent in fresh processes, but does not have a finding yet.
struct ConfirmedRow {
  Id program = 0;
  oracle::Kind kind = oracle::Kind::numerical;
  std::string explanation;  // of the first round that showed it
  std::string next_step;    // in words
  Millis since = 0;         // time of that round
};

/// Programs and their progress. One thread.
class Programs : public Table {
 public:
  using Table::Table;

  /// nullopt if a program of this identity exists (each is executed once).
  [[nodiscard]] std::optional<Id> add(const ProgramRow& row);
  void update(const ProgramRow& row);  // writes state, next_step, why, gate counts, verdict, error_key, finished_at
  [[nodiscard]] std::optional<ProgramRow> find(Id id) const;
  [[nodiscard]] std::optional<ProgramRow> last_of_chain(Id first) const;  // its newest repair, else itself
  [[nodiscard]] std::optional<Id> by_identity(const std::string& identity) const;
  [[nodiscard]] std::vector<ProgramRow> in_state(ProgramState state, int limit) const;  // oldest first
  /// Roots of unfinished programs that were begun: repairs, and programs that are judged again, may be in the queue.
  [[nodiscard]] std::vector<Id> roots_begun() const;
  [[nodiscard]] std::vector<ConfirmedRow> confirmed() const;  // oldest first
  /// Programs that were consistent on this torch and device, fully compiled and without neutralisers: at most `limit`,
  /// drawn from all by the seed.
  [[nodiscard]] std::vector<ProgramRow> consistent(const std::string& torch, const std::string& device, int limit,
                                                   std::uint64_t seed) const;
  /// The newest consistent programs, compiled fully or not, whose graphs hold one of these operators ("amax": any
  /// overload of aten.amax and prims.amax). Only the newest kMostSearched examinations are searched: each takes a parse
  /// of JSON.
  [[nodiscard]] std::vector<ProgramRow> consistent_calling(const std::string& torch, const std::string& device,
                                                           const std::vector<std::string>& operators, int limit) const;
  static constexpr int kMostSearched = 200'000;
  /// The newest consistent program of this origin, not counting the `newer` most recent ones, and not one screened with
  /// neutralisers on; either among those that showed features of the compiler first, or among the others.
  [[nodiscard]] std::optional<ProgramRow> recent_parent(Origin origin, bool reached_new, int newer) const;
  /// The torch that this device's programs ran on last; nullopt if any has run on `torch` already, or if none has run.
  [[nodiscard]] std::optional<std::string> torch_before(const std::string& torch, const std::string& device) const;
  /// Queues a program again, for a torch it has not run on. False if it was queued for that torch before.
  bool add_sentinel(const ProgramRow& original, const std::string& torch_before, const std::string& torch, Millis now);
  [[nodiscard]] Id last() const;  // 0: none
  [[nodiscard]] std::int64_t count_of_reply(Id reply) const;
  /// A program that showed a hypothesis to be right and whose finding is ready; picked among the newest 64 by `draw`,
  /// which must not be negative.
  [[nodiscard]] std::optional<ProgramRow> shown(std::int64_t draw) const;
  /// Texts of consistent programs, newest first: examples for a model to continue from.
  [[nodiscard]] std::vector<std::string> recent_valid(int limit) const;
};

}  // namespace parityd::store
