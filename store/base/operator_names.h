// Names of operators as people use them: "max_pool2d_with_indices" for "aten.max_pool2d_with_indices.default". Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parityd::store {

/// Without library and overload.
[[nodiscard]] std::string brief_operator(std::string_view name);

/// In nearly every program, so that naming it says nothing: "add", "view".
[[nodiscard]] bool is_common_operator(std::string_view brief);

/// As its functional form is called: "softmax" for "aten._softmax.default", "relu" for "relu_", "layer_norm" for
/// "LayerNorm".
[[nodiscard]] std::string plain_operator(std::string_view name);

/// What the names of one operator share: "softmax" for "aten._softmax.default" and "Softmax", "relu" for "relu_",
/// "avg_pool" for "avg_pool2d_backward", "layer_norm" for "native_layer_norm" and "LayerNorm".
[[nodiscard]] std::string operator_family(std::string_view name);

/// Names a program calls, also by a sign ("floor_divide" for //), sorted, unique, without what every program calls and
/// what makes its inputs.
[[nodiscard]] std::vector<std::string> called_names(const std::string& program);

}  // namespace parityd::store
