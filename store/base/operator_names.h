// Operator names as people use them: "max_pool2d_with_indices" for "aten.max_pool2d_with_indices.default". Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace parityd::store {

/// Without library and overload.
[[nodiscard]] std::string brief_operator(std::string_view name);

/// In nearly every program, so that the name is not informative: "add", "view".
[[nodiscard]] bool is_common_operator(std::string_view brief);

/// The name of its functional form: "softmax" for "aten._softmax.default", "relu" for "relu_", "layer_norm" for
/// "LayerNorm".
[[nodiscard]] std::string plain_operator(std::string_view name);

/// The common name of an operator's variants: "softmax" for "aten._softmax.default" and "Softmax", "relu" for "relu_",
/// "avg_pool" for "avg_pool2d_backward", "layer_norm" for "native_layer_norm" and "LayerNorm".
[[nodiscard]] std::string operator_family(std::string_view name);

/// The names that a program calls, operator symbols included ("floor_divide" for //), sorted and unique, without those
/// that every program calls or that make its inputs, and without its own functions and classes.
[[nodiscard]] std::vector<std::string> called_names(const std::string& program);

}  // namespace parityd::store
