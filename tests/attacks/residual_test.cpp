// Rows that are sentences: what no sandbox in user space contains is said on the page.
#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;

TEST_CASE("row 27: leftover device memory is reported as readable") {
  const std::filesystem::path root(PARITYD_SOURCE_DIR);
  CHECK(executor::test::read_file(root / "README.md").find("leftover device memory") != std::string::npos);
  const auto page = executor::test::read_file(root / "docs" / "sandbox.md");
  CHECK(page.find("A program may read leftover device memory") != std::string::npos);
}
