#include "tests/this_build.h"

namespace parityd::this_build {

std::filesystem::path folder() { return PARITYD_BINARY_DIR; }

std::filesystem::path python_with_torch() { return PARITYD_TEST_PYTHON; }

bool sanitized() { return PARITYD_SANITIZED; }

}  // namespace parityd::this_build
