// Errors that are no finding: refusals the compiler documents, and failures of the machine we run on. Data, one row
// each, so that every excuse has a name that can be listed and counted. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// Matches when the class is the outer or inner one (empty: any), the message contains the text (empty: any), the whole
/// of it has the form (empty: any), and the compiler's frame that raised begins so (empty: any).
struct ErrorPattern {
  std::string_view name;         // "fullgraph_graph_break"
  std::string_view error_class;  // without module: "Unsupported"
  std::string_view message;      // a piece of the message
  std::string_view source;       // where it is documented
  std::string_view form{};       // RE2
  std::string_view frame{};      // "cpp_wrapper_" for "cpp_wrapper_cpu.py:generate_py_arg"
};

/// What torch.compile says it will not do.
[[nodiscard]] const std::vector<ErrorPattern>& declared_refusals();

/// Out of memory, disk or tools: says nothing about the program.
[[nodiscard]] const std::vector<ErrorPattern>& environment_failures();

/// A device error that leaves the process unusable: what eager did is then unknown.
[[nodiscard]] const std::vector<ErrorPattern>& device_failures();

/// The first row that matches, or null.
[[nodiscard]] const ErrorPattern* match(const std::vector<ErrorPattern>& patterns, const ErrorReport& error);

/// The program's own raise or assert.
[[nodiscard]] bool is_own_check(const ErrorReport& error);

/// Whether an error of the program's own making may hang on the last bit of a value: its own raise or assert, or a
/// decomposition that gives up on a nearly singular matrix.
[[nodiscard]] bool depends_on_values(const ErrorReport& error);

}  // namespace parityd::oracle
