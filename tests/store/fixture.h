// A store in a folder of its own, and rows to put in. For tests only.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "store/store.h"
#include "tests/files.h"

namespace parityd::tests {

class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::filesystem::path database() const { return path() / "parityd.db"; }
};

inline store::ProgramRow a_program(const std::string& identity) {
  store::ProgramRow row;
  row.identity = identity;
  row.text = "class Model: pass\n";
  row.origin = store::Origin::reply;
  row.created_at = 1'000;
  return row;
}

inline store::ProgramRow finished(store::ProgramRow row, oracle::VerdictKind verdict) {
  row.state = store::ProgramState::finished;
  row.verdict = oracle::Verdict{
      .verdict = verdict,
      .kind = verdict == oracle::VerdictKind::inconsistent ? std::optional(oracle::Kind::missing_check) : std::nullopt,
      .rule = "a.rule",
      .explanation = "because",
      .leaves = {"output[0]"}};
  row.finished_at = 2'000;
  return row;
}

/// Adds a program, or fails the test by throwing.
inline store::ProgramRow added(store::Store& store, const store::ProgramRow& row) {
  return store.programs.find(store.programs.add(row).value()).value();
}

inline store::FindingRow a_finding(store::Id program, const std::string& hash) {
  store::FindingRow row;
  row.signature = {.text = "numerical inductor aten.max int8 cpu " + hash, .hash = hash};
  row.disposition.severity = 1;
  row.reduced = "class Model: pass\n";
  row.title = "[inductor] max: compiled output differs from eager (CPU)";
  row.explanation = "output differs";
  row.device = "cpu";
  row.torch = "2.13.0";
  row.program = program;
  row.hits = 3;
  row.rounds = 3;
  row.next_step = "read the draft";
  row.why = "confirmed";
  row.created_at = 3'000;
  return row;
}

/// What the store has against it; empty: nothing.
inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const store::StoreError& error) {
    return error.what();
  }
  return "";
}

}  // namespace parityd::tests
