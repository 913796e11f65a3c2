// Error messages, less what is not the error. Internal to oracle/. Pure; any thread.
#pragma once

#include <string>

namespace parityd::oracle {

/// Triton prints the generated kernel down to the place it means, with a caret below it. Here what is called there
/// stands in its place: it says what the other lines, which follow the program's sizes, do not.
[[nodiscard]] std::string without_triton_source(const std::string& message);

}  // namespace parityd::oracle
