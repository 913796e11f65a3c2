// What PyTorch's documentation promises, in our own words, each with the page that says it: the yardstick a draft names
// for "what was expected". Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "oracle/rules/verdict.h"

namespace parityd::store {

struct Documented {
  std::string_view name;  // operator as programs call it: "argmax"; of general promises, a word for them
  std::string_view fact;  // ends without a full stop
  std::string_view page;  // whole address
};

/// Of operators, sorted by name.
[[nodiscard]] std::span<const Documented> documented_operators();

/// Of an operator as a graph or a program names it: "aten._softmax.default", "LayerNorm", "relu_"; null: none is
/// listed.
[[nodiscard]] const Documented* documented_operator(std::string_view name);

/// What holds for every program, by the kind of the finding that goes against it.
[[nodiscard]] const Documented& documented_promise(oracle::Kind kind);

}  // namespace parityd::store
