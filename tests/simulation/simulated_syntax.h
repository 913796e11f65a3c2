// The syntax process of the simulation: answers at the next turn, knows the simulation's programs only. No templates,
// no Python.
#pragma once

#include <deque>
#include <functional>

#include "executor/syntax/syntax.h"

namespace parityd::simulation {

class SimulatedSyntax final : public executor::Syntax {
 public:
  void normalise(const std::string& program, bool fix, bool truncated, Done<executor::Normalised> done) override;
  void outline(const std::string& program, Done<executor::Outline> done) override;
  void mutants(const executor::MutantWishes& wishes, Done<std::vector<executor::Mutant>> done) override;
  void with_options(const std::string& program, const std::string& options_json, executor::StatedOptions stated,
                    Done<executor::Normalised> done) override;
  void reductions(const std::string& program, const std::string& values, Done<executor::ReductionEdits> done) override;
  void reduced(const std::string& program, const std::string& values, const std::vector<std::string>& edit_ids,
               executor::UnreadLocals locals, Done<executor::ReducedText> done) override;
  void plain(const std::string& program, executor::UnreadLocals locals, Done<executor::ReducedText> done) override;
  void variants(const std::string& program, const std::string& operator_name, const std::vector<std::string>& modes,
                Done<std::vector<executor::ProgramVariant>> done) override;
  void append_interests(std::vector<executor::Interest>&) const override {}
  void poll() override;

  [[nodiscard]] bool idle() const { return answers_.empty(); }

 private:
  std::deque<std::function<void()>> answers_;
};

}  // namespace parityd::simulation
