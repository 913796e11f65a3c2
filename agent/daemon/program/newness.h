// How much has to be new about a program's graphs for them to be compiled in its screen (docs/tiers.md): as much as of
// a share of the last programs. Pure; any thread.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace parityd::agent {

class Newness {
 public:
  static constexpr std::size_t kLast = 256;  // programs that it goes by
  static constexpr std::size_t kFewest = 8;  // before so many nothing is much: what is cheap comes first

  /// `share`: of the programs, that are to be compiled, 0 to 1.
  explicit Newness(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Of a program that was screened: forms of its graphs that were new (oracle::GraphForms::fresh). `settings`: what
  /// else decides about its code. Programs are counted with their like, for a form is known with settings alone: else
  /// those with rare ones would always have most.
  void note(const std::string& settings, std::size_t fresh);
  /// So many new forms that no more than the share has as many; at least 1, and what no program has where the share is
  /// 0.
  [[nodiscard]] int much(const std::string& settings) const;

 private:
  double share_;
  std::map<std::string, std::deque<int>> last_;
};

}  // namespace parityd::agent
