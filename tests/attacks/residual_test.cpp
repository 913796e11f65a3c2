// Rows that are sentences: what no sandbox in user space contains is said on the page, by the row's number.
#include "tests/attacks/attack.h"
#include "tests/catch.h"

using namespace parityd;

TEST_CASE("row 27: leftover device memory is said to be readable") {
  const std::filesystem::path root(PARITYD_SOURCE_DIR);
  CHECK(executor::test::read_file(root / "README.md").find("leftover device memory") != std::string::npos);
  const auto page = executor::test::read_file(root / "docs" / "sandbox.md");
  const auto row = page.find("Row 27");
  REQUIRE(row != std::string::npos);
  const std::string sentence = page.substr(row, page.find("\n\n", row) - row);
  CHECK(sentence.find("device memory") != std::string::npos);
}
