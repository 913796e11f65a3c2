// Decides whether a repair kept the operators that its program was to test. Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace parityd::agent {

/// Operators that two programs call, as outlined by the syntax process: "torch.sin", "F.pad", ".view", "nn.Linear".
struct OperatorSets {
  std::vector<std::string> before, after;
};

/// Operators of the first program of which the second has no form, by plain name ("relu" for `F.relu_` and `nn.ReLU`).
/// Operators that only arrange shapes, dtypes and new tensors do not count: repairs are meant to change these.
[[nodiscard]] std::vector<std::string> lost_operators(const OperatorSets& operators);

/// Up to a quarter of the operators may be lost, and always one if the error blames the operator itself.
[[nodiscard]] bool keeps_operators(const OperatorSets& operators, bool operator_blamed);

}  // namespace parityd::agent
