// What differs between two builds of the same sources. It is asked for, not compiled in: the objects of the tests serve
// the release build and the sanitized one (PARITYD_TEST_OBJECTS).
#pragma once

#include <filesystem>

namespace parityd::this_build {

/// Where its executables (in bin/) and generated files lie.
[[nodiscard]] std::filesystem::path folder();

/// The interpreter with torch that it was configured with; empty: none.
[[nodiscard]] std::filesystem::path python_with_torch();

/// Its libraries are several times as slow: a sweep of hundreds of cases may leave some out, but no path of the code.
[[nodiscard]] bool sanitized();

}  // namespace parityd::this_build
