// What no change may touch, by name: whatever judges, the defaults of settings, what eager runs, the machine. Pure; any
// thread.
//
// Names keep an honest model on the compiler's ground; the sandbox and the confirmation rounds keep a hostile one. The
// result is the reason, written for the model; nullopt: permitted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/fixing/python_scopes.h"

namespace parityd::agent {

/// `file`: "torch/_inductor/lowering.py". Only files of the compiler are permitted. Among them are some that eager also
/// uses without running their kernels (`_prims_common`, `_refs`, `_meta_registrations`, `_subclasses`): of these,
/// forbidden_function() names what eager runs.
[[nodiscard]] std::optional<std::string> forbidden_file(std::string_view file);

/// A function that judges or that eager runs, in a permitted file.
[[nodiscard]] std::optional<std::string> forbidden_function(std::string_view file, const PythonScope& function);

/// Adjacent lines and the lines in their place. A name is forbidden if an added line contains it and no removed one
/// does.
[[nodiscard]] std::optional<std::string> forbidden_lines(const std::vector<std::string_view>& removed,
                                                         const std::vector<std::string_view>& added);

}  // namespace parityd::agent
