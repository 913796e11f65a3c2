// Error messages, less what is not the error. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parityd::oracle {

/// Without white space at both ends; a part of `text`.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// In small letters; only those of ASCII change.
[[nodiscard]] std::string lowered(std::string_view text);

/// One line, whatever a message or a name holds: control characters become blanks.
[[nodiscard]] std::string one_line(std::string text);

/// Triton prints the generated kernel down to the place it means, with a caret below it. Here what is called there
/// stands in its place: it says what the other lines, which follow the program's sizes, do not.
[[nodiscard]] std::string without_triton_source(const std::string& message);

/// What is wrong with a kernel stands below it: "Triton's AssertionError('…')", "Triton's CompilationError: atomic_add
/// does not support int8". nullopt: no such message, or it ends with the kernel.
[[nodiscard]] std::optional<std::string> words_of_triton(const std::string& message);

/// c10 writes its native frames below a message ("Exception raised from … (most recent call first):"), with addresses
/// and this machine's folders; a message that quotes another one has them inside, with "\\n" for the ends of lines.
[[nodiscard]] std::string without_native_frames(std::string message);

/// torch.fx says which node of the graph it was at ("While executing %add_3 : [num_users=1] = …"), and from which lines
/// of the program the node came: how the program spells what fails, not what fails.
[[nodiscard]] std::string without_graph_places(std::string_view message);

/// Dynamo calls each operator with fake tensors to learn shapes. What that raises it wraps into a report of its own,
/// the call spelled out (torch/_dynamo/utils.py, get_fake_value).
struct FakeCall {
  std::string called;  // "softshrink", "aten.add.Tensor"
  std::string error;   // "RuntimeError: lambda must be in range …"
};
/// nullopt: the message is no such report.
[[nodiscard]] std::optional<FakeCall> fake_call(const std::string& message);
/// "RuntimeError: lambda must be … (softshrink called with fake tensors)".
[[nodiscard]] std::string words(const FakeCall& call);

/// An error of eager's, however the call is spelled: normalise_message(), then operators and dtypes by the names that
/// the dispatcher has for them ("ceil_vml_cpu" is ceil, 'Short', "short int" and torch.ShortTensor are int16), and one
/// form for what was expected and what was there instead.
[[nodiscard]] std::string normalise_refusal(std::string_view message);

/// The dispatcher's name of what a program calls: "bitwise_and" for the operator "and", "abs" for "absolute".
[[nodiscard]] std::string dispatcher_name(std::string_view called);

}  // namespace parityd::oracle
