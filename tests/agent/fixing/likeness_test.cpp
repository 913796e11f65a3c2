// Programs with rare words in common.
#include "agent/fixing/likeness.h"

#include "tests/catch.h"

using namespace parityd;

TEST_CASE("programs that share the most rare words come first, those that share none are left out") {
  std::vector<std::string> others(20, "def forward(self, x): return x.relu()");
  others[3] = "def forward(self, x): return nested_compile_region(x)";
  others[7] = "def forward(self, x): return nested_compile_region(x, factor)";
  others[9] = "def forward(self, x): return x * factors";
  const std::string program = "def forward(self, x): return nested_compile_region(factor).relu()";
  CHECK(agent::likest(program, others, 5) == std::vector<std::size_t>{7, 3});
  CHECK(agent::likest(program, others, 1) == std::vector<std::size_t>{7});
  CHECK(agent::likest("def forward(self, x): return x", others, 5).empty());
  CHECK(agent::likest(program, {}, 5).empty());
}

TEST_CASE("the program itself is not like itself") {
  const std::string program = "nested_compile_region(x)";
  CHECK(agent::likest(program, {program, "relu(y)"}, 5).empty());
}
