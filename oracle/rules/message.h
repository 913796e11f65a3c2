// Cleans error messages: removes what is not part of the error. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parityd::oracle {

/// Without white space at both ends; a view into `text`.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// In lower case; only ASCII letters change.
[[nodiscard]] std::string lowered(std::string_view text);

/// As one line, whatever the message or name contains: control characters become spaces.
[[nodiscard]] std::string one_line(std::string text);

/// Triton prints the generated kernel up to the failing expression, with a caret below it. Returns the message with the
/// name of the called function instead of that excerpt: the name identifies the error, while the other lines only vary
/// with the program's sizes.
[[nodiscard]] std::string without_triton_source(const std::string& message);

/// The reason below a kernel that Triton printed: "Triton's AssertionError('…')", "Triton's CompilationError:
/// atomic_add does not support int8". nullopt if this is no such message, or if nothing follows the kernel.
[[nodiscard]] std::optional<std::string> words_of_triton(const std::string& message);

/// Removes the native frames that c10 appends to a message ("Exception raised from … (most recent call first):"), with
/// addresses and folders of this machine. A quoted message contains them with "\\n" for line ends.
[[nodiscard]] std::string without_native_frames(std::string message);

/// Removes where in the graph torch.fx was ("While executing %add_3 : [num_users=1] = …") and which lines of the
/// program the node came from: they tell how the program is written, not what fails.
[[nodiscard]] std::string without_graph_places(std::string_view message);

/// Dynamo calls each operator with fake tensors to learn shapes. It wraps the error of such a call into its own report,
/// which spells the call out (torch/_dynamo/utils.py, get_fake_value).
struct FakeCall {
  std::string called;  // "softshrink", "aten.add.Tensor"
  std::string error;   // "RuntimeError: lambda must be in range …"
};
/// nullopt if the message is no such report.
[[nodiscard]] std::optional<FakeCall> fake_call(const std::string& message);
/// "RuntimeError: lambda must be … (softshrink called with fake tensors)".
[[nodiscard]] std::string words(const FakeCall& call);

/// A refusal by eager, independent of how the call is written: normalise_message(), then operators and dtypes by the
/// dispatcher's names ("ceil_vml_cpu" is ceil; 'Short', "short int" and torch.ShortTensor are int16), and one form for
/// what was expected and what was found.
[[nodiscard]] std::string normalise_refusal(std::string_view message);

/// The dispatcher's name of what a program calls: "bitwise_and" for the operator "and", "abs" for "absolute".
[[nodiscard]] std::string dispatcher_name(std::string_view called);

}  // namespace parityd::oracle
