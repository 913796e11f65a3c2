// The lines of a script that runs a finding's program, as a person would write them: for the short reproducer, and for
// programs that draw random numbers of the compiler's own. Python source. Internal to store/. Pure.
#pragma once

#include <string>

#include "store/report/repro_parts.h"

namespace parityd::store {

/// What a function of the program returns, read off its first return.
enum class Returned { list, named, other };

[[nodiscard]] Returned returned_by(const std::string& program, const std::string& function);

/// "torch.compile(model, …)" for the mode and the options.
[[nodiscard]] std::string plain_compile_call(const ReproPlan& plan);

/// Statements that say what the options do, imports they need among them.
[[nodiscard]] std::string plain_settings(const ReproPlan& plan);

/// "model = Model().eval()" and a newline.
[[nodiscard]] std::string model_line(const ReproPlan& plan, const std::string& program);

/// Statements that make `inputs`, which the model is called with, as `returned` says that get_inputs gives them.
[[nodiscard]] std::string inputs_lines(const ReproPlan& plan, Returned returned, const std::string& indent);

/// Gradients of the weighted sum of all that `output` holds.
[[nodiscard]] std::string backward_of_all();

}  // namespace parityd::store
