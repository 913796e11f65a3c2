// Whether a repair kept the operators that its program was to test. Pure; any thread.
#pragma once

#include <string>
#include <vector>

namespace parityd::agent {

/// What two programs call, as the syntax process outlines them: "torch.sin", "F.pad", ".view", "nn.Linear".
struct OperatorSets {
  std::vector<std::string> before, after;
};

/// Operators of the program before that no form of the one after has, by plain name ("relu" for `F.relu_` and
/// `nn.ReLU`). What only arranges shapes, dtypes and new tensors does not count: changing that is what repairs are for.
[[nodiscard]] std::vector<std::string> lost_operators(const OperatorSets& operators);

/// A quarter of the operators may be lost; one always, when the error blames the operator itself.
[[nodiscard]] bool keeps_operators(const OperatorSets& operators, bool operator_blamed);

}  // namespace parityd::agent
