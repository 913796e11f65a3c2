// All excuses of the rules, by name: they can be listed, counted (a verdict's rule is the excuse's name) and switched
// off. Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::oracle {

struct Excuse {
  std::string name;    // "numbers.rounding_double", "undefined.right_shift_amount", "documented.user_error"
  std::string about;   // when it applies
  std::string source;  // where PyTorch documents it; empty for what was measured here
};

/// In reading order: outcomes, shapes, numbers, then the tables of rules.
[[nodiscard]] const std::vector<Excuse>& excuses();
[[nodiscard]] bool is_excuse(std::string_view name);

/// Names of excuses that are switched off: the rules judge as if they did not exist.
using ExcusesOff = std::set<std::string, std::less<>>;

// Faults known to PyTorch, each with an open issue, and the rules that recognise them by their measurements. Programs
// that show one are not new findings, but neither excused nor lost: they are occurrences of one finding with the status
// `known`. Pure; any thread.

struct KnownFault {
  std::string_view rule;  // "known.returned_input"
  int issue;              // of pytorch/pytorch
  std::string_view about;
};

[[nodiscard]] const std::vector<KnownFault>& known_faults();
/// By the rule of a verdict; null if that rule is not one of a known fault.
[[nodiscard]] const KnownFault* known_fault(std::string_view rule);

}  // namespace parityd::oracle
