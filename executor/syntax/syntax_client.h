// The syntax process: a sandboxed CPython without torch that parses programs and never runs them. One long-lived child,
// JSON lines, answers in order. One thread (the loop's). The daemon itself never parses Python.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executor/syntax/syntax.h"

namespace parityd::executor {

class SyntaxClient : public Syntax {
 public:
  /// Starts the process lazily and restarts it after a death (the first request without an answer then fails with a
  /// message). `scratch`: its home and temporary folder, created here; the caller decides on its owner and removes it.
  SyntaxClient(std::filesystem::path launcher, std::filesystem::path python, std::filesystem::path script,
               std::filesystem::path scratch);
  ~SyntaxClient() override;
  SyntaxClient(const SyntaxClient&) = delete;
  SyntaxClient& operator=(const SyntaxClient&) = delete;

  void normalise(const std::string& program, bool fix, bool truncated, Done<Normalised> done) override;
  void outline(const std::string& program, Done<Outline> done) override;
  void mutants(const MutantWishes& wishes, Done<std::vector<Mutant>> done) override;
  void with_options(const std::string& program, const std::string& options_json, StatedOptions stated,
                    Done<Normalised> done) override;
  void reductions(const std::string& program, const std::string& values, Done<ReductionEdits> done) override;
  void reduced(const std::string& program, const std::string& values, const std::vector<std::string>& edit_ids,
               UnreadLocals locals, Done<ReducedText> done) override;
  void plain(const std::string& program, UnreadLocals locals, Done<ReducedText> done) override;
  void variants(const std::string& program, const std::string& operator_name, const std::vector<std::string>& modes,
                Done<std::vector<ProgramVariant>> done) override;
  /// Programs that differ from this one in one way each; every entry has a program. Aspects: "siblings", "dtypes",
  /// "limits", "scalars", "ranks", "sizes", "values", "layouts", "gradients", "dynamic shapes".
  void sweep(const SweepWishes& wishes, Done<std::vector<ProgramVariant>> done);
  void append_interests(std::vector<Interest>& interests) const override;
  void poll() override;
  [[nodiscard]] bool idle() const;
  /// Blocks until idle: for one-shot uses by the CLI.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::executor
