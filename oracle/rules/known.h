// Faults that PyTorch knows, with an issue that is open: rules that recognise them by what was measured. Such programs
// are no news, and neither excused nor lost: they are occurrences of one finding with the status `known`. Pure; any
// thread.
#pragma once

#include <string_view>
#include <vector>

namespace parityd::oracle {

struct KnownFault {
  std::string_view rule;  // "known.returned_input"
  int issue;              // of pytorch/pytorch
  std::string_view about;
};

[[nodiscard]] const std::vector<KnownFault>& known_faults();
/// By the rule of a verdict; null where it is none of them.
[[nodiscard]] const KnownFault* known_fault(std::string_view rule);

}  // namespace parityd::oracle
