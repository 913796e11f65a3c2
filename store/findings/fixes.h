// Changes of torch's Python files that a language model proposed for findings, each with what became of it. Times are
// Unix milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/table.h"

namespace parityd::store {

class Findings;
class Known;

/// What became of a try, or of one check of it. The order is that of the checks.
enum class FixResult {
  accepted,         // it passed every check
  asked,            // the model was asked; a stop or a kill came before the end
  not_python,       // the place is not in torch's Python: no model was asked
  no_answer,        // the provider gave none
  no_patch,         // the model proposes none
  unusable,         // the reply is not in the form, does not apply, or touches what no change may touch
  does_not_import,  // torch does not import with it
  stays,            // the finding shows with it, the same or changed
  incomplete,       // some occurrence or variant still shows it
  breaks,           // something that was right is wrong with it
  switched_off,     // the compiler does less than before
  proves_nothing,   // its regression test does not fail without it and pass with it
  too_few,          // too little was run to tell
  unknown           // a check could not be run
};
constexpr auto names(FixResult) {
  return std::to_array<std::string_view>({"accepted", "asked", "not_python", "no_answer", "no_patch", "unusable",
                                          "does_not_import", "stays", "incomplete", "breaks", "switched_off",
                                          "proves_nothing", "too_few", "unknown"});
}

/// One check of a change.
struct FixCheck {
  std::string name;                        // "variants", "samples", "programs", …
  FixResult result = FixResult::accepted;  // accepted: passed
  std::int64_t ran = 0, failed = 0;        // rounds, variants, samples or programs
  std::string told;                        // what it saw, one sentence
  std::vector<std::string> failing;        // what failed, by name: "program 17", "add/float16/3"
  std::string program;                     // the first failing program, for the second try; empty: none
  double seconds = 0;
};

struct FixedFile {
  std::string path;           // relative to site-packages
  std::string before, after;  // SHA-256, hexadecimal
};

/// One try: a question to a model and what became of its answer.
struct FixTry {
  Id id = 0, finding = 0;
  int number = 1;  // of the finding's tries on this torch
  Millis at = 0;   // when the model was asked
  FixResult result = FixResult::asked;
  std::string why;  // of a failure, for a person; empty: accepted
  std::string provider, model;
  std::int64_t prompt_tokens = 0, completion_tokens = 0, nano_dollars = 0;  // reserved until the answer is there
  double seconds = 0;                                                       // of all checks
  std::string torch, device;
  std::string reply;                   // the raw answer
  std::string diff, test;              // empty: none
  std::int64_t changed_lines = 0;      // added and removed
  std::vector<std::string> functions;  // "torch/_inductor/lowering.py:cat"
  std::vector<FixedFile> files;
  std::vector<FixCheck> checks;  // in the order in which they ran; none after the first that failed
  std::vector<Id> also_gone;     // other findings that vanish with it
  std::string newest;            // what became of it on the newest torch, one sentence; empty: not tried
};

/// Tries by area of the compiler (the stage of the finding), the finding's kind and the model. A finding counts once,
/// by its last try.
struct FixTally {
  std::string area, kind, model;
  std::int64_t findings = 0, accepted = 0;
  std::map<FixResult, std::int64_t> failed;  // by result, those that are not accepted
  std::int64_t tries = 0, nano_dollars = 0;
  double seconds = 0;
};

/// Tries of changes. One thread.
class Fixes : public Table {
 public:
  Fixes(Connection& connection, const Findings& findings, const Known& known)
      : Table(connection), findings_(findings), known_(known) {}

  /// Adds the try; one of the same finding that was asked at the same time is replaced.
  void keep(const FixTry& row);
  [[nodiscard]] std::vector<FixTry> of(Id finding) const;  // oldest first
  /// The newest accepted one.
  [[nodiscard]] std::optional<FixTry> accepted(Id finding) const;
  /// The first `ready` finding, in the order of the queue, that has no try on this torch and device.
  [[nodiscard]] std::optional<Id> next(const std::string& torch, const std::string& device) const;
  /// Charged or reserved for tries asked since then.
  [[nodiscard]] std::int64_t nano_dollars_since(Millis since) const;
  [[nodiscard]] std::vector<FixTally> tally() const;  // the most findings first

 private:
  const Findings& findings_;
  const Known& known_;
};

/// All members; fix_from() reads it back and throws nlohmann::json::exception for anything else.
[[nodiscard]] nlohmann::json fix_json(const FixTry& row);
[[nodiscard]] FixTry fix_from(const nlohmann::json& json);

}  // namespace parityd::store
