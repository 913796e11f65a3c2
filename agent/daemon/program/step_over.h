// Stepping over known findings (docs/attribution.md): a share of the programs is screened with findings' neutralisers
// on, so that known differences neither hide unknown ones nor go to confirmation. Pure; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "oracle/rules/neutraliser.h"
#include "store/base/ids.h"
#include "store/findings/findings.h"

namespace parityd::agent {

class StepOver {
 public:
  /// `share`: share of the programs passed to choose(), 0 to 1.
  explicit StepOver(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Sets the known findings. Ignores those without a neutraliser, those fixed in a newer torch, and those filed under
  /// another finding.
  void set_findings(const std::vector<store::FindingRow>& findings);
  /// The neutralisers to turn on while this program is screened on that device; mostly none. The same `seed` gives the
  /// same answer. At most three findings whose operators the program calls, drawn with a preference for those that more
  /// programs show.
  [[nodiscard]] std::vector<oracle::Neutraliser> choose(const std::string& program, const std::string& device,
                                                        std::uint64_t seed) const;

 private:
  struct Known {
    std::vector<oracle::Neutraliser> neutralisers;
    /// Of the characteristic operators; empty: it consists of operators that nearly every program calls.
    std::set<std::string> families;
    std::string device;
    double programs = 1;  // programs that show it
  };
  double share_;
  std::vector<Known> known_;
};

}  // namespace parityd::agent
