// Stepping over the known (docs/attribution.md): in a share of the screens the neutralisers of findings are on, so that
// what is known already neither hides what is not nor goes to the gate. Pure; any thread.
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
  /// `share`: of the programs asked about, 0 to 1.
  explicit StepOver(double share) : share_(share) {}

  void set_share(double share) { share_ = share; }
  /// Those there are: what nothing makes vanish, what a newer torch mended and what goes by another finding's name is
  /// left out.
  void set_findings(const std::vector<store::FindingRow>& findings);
  /// What is on while this program is screened on that device; mostly nothing. `seed`: the same one, the same answer.
  /// Of findings whose operators the program calls at most three, those drawn more often that more programs show.
  [[nodiscard]] std::vector<oracle::Neutraliser> choose(const std::string& program, const std::string& device,
                                                        std::uint64_t seed) const;

 private:
  struct Known {
    std::vector<oracle::Neutraliser> neutralisers;
    std::set<std::string> families;  // of the operators that tell; empty: it is made of what nearly every program calls
    std::string device;
    double programs = 1;  // that show it
  };
  double share_;
  std::vector<Known> known_;
};

}  // namespace parityd::agent
