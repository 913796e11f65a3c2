// Errors that are not findings: refusals that the compiler documents, and failures of the machine. Data, one row each,
// so that every excuse has a name by which it can be listed and counted. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// Matches if all of these hold; an empty field matches anything: the class is the outer or the inner one, the message
/// contains `message`, the whole message matches `form`, and the compiler frame that raised begins with `frame`.
struct ErrorPattern {
  std::string_view name;         // "fullgraph_graph_break"
  std::string_view error_class;  // without module: "Unsupported"
  std::string_view message;      // a substring of the message
  std::string_view source;       // where it is documented
  std::string_view form{};       // RE2
  std::string_view frame{};      // "cpp_wrapper_" for "cpp_wrapper_cpu.py:generate_py_arg"
};

/// What torch.compile declares that it does not do.
[[nodiscard]] const std::vector<ErrorPattern>& declared_refusals();

/// Out of memory or disk, or tools missing: says nothing about the program.
[[nodiscard]] const std::vector<ErrorPattern>& environment_failures();

/// Device errors that leave the process unusable: the result of eager is then unknown.
[[nodiscard]] const std::vector<ErrorPattern>& device_failures();

/// The first row that matches, or null.
[[nodiscard]] const ErrorPattern* match(const std::vector<ErrorPattern>& patterns, const ErrorReport& error);

/// Whether the error is the program's own raise or assert.
[[nodiscard]] bool is_own_check(const ErrorReport& error);

/// Whether the last bit of a value may decide about the error: the program's own raise or assert, or a decomposition
/// that fails on a nearly singular matrix.
[[nodiscard]] bool depends_on_values(const ErrorReport& error);

}  // namespace parityd::oracle
