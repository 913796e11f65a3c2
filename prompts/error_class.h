// Classes of errors that make programs invalid: what a repair's prompt advises, and what repairs are counted by. Pure;
// any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parityd::prompts {

enum class ErrorClass {
  syntax,        // Python does not parse it
  contract,      // no Model, no get_inputs, or they do not fit together
  missing_name,  // a name or an import that is not there
  attribute,     // an operator or attribute that does not exist
  arity,         // arguments that a signature does not take
  device,
  dtype,
  unsupported,  // no kernel, or not implemented
  mutation,     // a write that eager forbids: a leaf, overlapping memory, what autograd saved
  autograd,
  index,
  shape,
  numeric,  // singular matrices, no convergence
  value,    // any other argument an operator refuses
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

/// Whether asking a model to mend it may pay. A process that died or ran out of memory says nothing to go by, and the
/// operator that did it is what a repair would take away; one that hung costs a deadline for each attempt.
[[nodiscard]] bool worth_repairing(ErrorClass error_class);

/// Whether an operator of the failing line may have to go: the error says that there is none such.
[[nodiscard]] bool blames_operator(ErrorClass error_class);

}  // namespace parityd::prompts
