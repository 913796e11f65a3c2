// Every excuse the rules know, by name: listed, countable (a verdict's rule is the excuse's name) and switchable.
// Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parityd::oracle {

struct Excuse {
  std::string name;    // "numbers.rounding_double", "undefined.right_shift_amount", "documented.user_error"
  std::string about;   // when it applies
  std::string source;  // where PyTorch says so; empty for what was measured here
};

/// In the order in which people read them: outcomes, shapes, numbers, then the tables of rules.
[[nodiscard]] const std::vector<Excuse>& excuses();
[[nodiscard]] bool is_excuse(std::string_view name);

/// Names of excuses that are switched off: the rules go on as if they were not there.
using ExcusesOff = std::set<std::string, std::less<>>;

// Faults that PyTorch knows, with an issue that is open: rules that recognise them by what was measured. Such programs
// are no news, and neither excused nor lost: they are occurrences of one finding with the status `known`. Pure; any
// thread.

struct KnownFault {
  std::string_view rule;  // "known.returned_input"
  int issue;              // of pytorch/pytorch
  std::string_view about;
};

[[nodiscard]] const std::vector<KnownFault>& known_faults();
/// By the rule of a verdict; null where it is none of them.
[[nodiscard]] const KnownFault* known_fault(std::string_view rule);

}  // namespace parityd::oracle
