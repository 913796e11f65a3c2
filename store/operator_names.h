// Names of operators as people use them: "max_pool2d_with_indices" for "aten.max_pool2d_with_indices.default". Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace parityd::store {

/// Without library and overload.
[[nodiscard]] std::string brief_operator(std::string_view name);

/// In nearly every program, so that naming it says nothing: "add", "view".
[[nodiscard]] bool is_common_operator(std::string_view brief);

/// What two names of one operator share: "softmax" for "aten._softmax.default", "relu" for "relu_",
/// "avg_pool2d" for "avg_pool2d_backward", "layer_norm" for "native_layer_norm".
[[nodiscard]] std::string operator_family(std::string_view name);

}  // namespace parityd::store
