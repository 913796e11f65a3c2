// What in a program's text depends on chance or on training mode, so that a script which shows the program can leave
// out the lines that then change nothing. Errs on the side of keeping them. Pure; any thread.
#pragma once

#include <string_view>

namespace parityd::store {

/// Whether running the program may draw random numbers: it names an operator, a module or a library that does. What
/// the compiler captured knows better (oracle::Outcome::seeded), as far as it captured anything.
[[nodiscard]] bool may_draw(std::string_view program);

/// Whether the model may behave differently in train() and eval(): it reads the mode or holds modules of torch.
[[nodiscard]] bool may_depend_on_mode(std::string_view program);

}  // namespace parityd::store
