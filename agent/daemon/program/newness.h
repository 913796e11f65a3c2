// How many new graph forms a program needs to be compiled when screened (docs/tiers.md): a threshold that a given share
// of recent programs reaches. Pure; any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace parityd::agent {

class Newness {
 public:
  static constexpr std::size_t kLast = 256;  // recent programs considered
  static constexpr std::size_t kFewest = 8;  // with fewer no number suffices: cheap runs come first

  /// `share`: share of the programs to compile, 0 to 1.
  explicit Newness(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Records a screened program: its number of new graph forms (oracle::GraphForms::fresh). `settings`: whatever else
  /// affects its code. Programs are compared only with those of the same settings, because a form is known per
  /// settings: otherwise programs with rare settings would always have most.
  void note(const std::string& settings, std::size_t fresh);
  /// The smallest number of new forms that no more than the share of programs has; at least 1, and unreachable if the
  /// share is 0.
  [[nodiscard]] int much(const std::string& settings) const;

 private:
  double share_;
  std::map<std::string, std::deque<int>> last_;
};

}  // namespace parityd::agent
