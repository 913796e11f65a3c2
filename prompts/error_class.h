// Classes of errors that make programs invalid: they select a repair's advice and are counted. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parityd::prompts {

enum class ErrorClass {
  syntax,        // Python cannot parse it
  contract,      // no Model, no get_inputs, or they do not fit together
  missing_name,  // a missing name or import
  attribute,     // an operator or attribute that does not exist
  arity,         // arguments that a signature does not accept
  device,
  dtype,
  unsupported,  // no kernel, or not implemented
  mutation,     // a write that eager forbids: to a leaf, to overlapping memory, to what autograd saved
  autograd,
  index,
  shape,
  numeric,  // singular matrices, no convergence
  value,    // any other argument that an operator rejects
  memory,
  timeout,
  died,
  other
};
[[nodiscard]] std::string_view name(ErrorClass error_class);
[[nodiscard]] std::optional<ErrorClass> error_class_from_name(std::string_view name);

/// How a run in eager mode failed.
struct Failure {
  enum class How { raised, died, hung };
  How how = How::raised;
  std::string exception;  // the outer class: "RuntimeError"
  std::string message;
};

[[nodiscard]] ErrorClass classify(const Failure& failure);

/// Whether asking a model for a repair may be worthwhile. A process that died or ran out of memory leaves no hint, and
/// a repair would remove the operator that caused it; a hang costs a whole deadline per attempt.
[[nodiscard]] bool worth_repairing(ErrorClass error_class);

/// Whether an operator of the failing line may have to be removed: the error says that it does not exist.
[[nodiscard]] bool blames_operator(ErrorClass error_class);

}  // namespace parityd::prompts
