// The answers of the tools `callers`, `documented` and `siblings`.
#include "agent/fixing/surroundings.h"

#include "tests/catch.h"

using namespace parityd;
using namespace parityd::agent;

TEST_CASE("callers: operators by the function's place") {
  const auto callers = read_callers(
      "printed\n"
      R"({"functions": [{"file": "torch/a.py", "name": "f", "operators": ["aten.add", "aten.sub"], "reached": 70},
                        {"file": "torch/a.py", "name": "g", "operators": [], "reached": 0}]})");
  CHECK(callers.empty());  // on one line only
  const auto read = read_callers(
      R"({"functions": [{"file": "torch/a.py", "name": "f", "operators": ["aten.add", "aten.sub"], "reached": 70}]})");
  REQUIRE(read.size() == 1);
  CHECK(read.at("torch/a.py:f").operators == std::vector<std::string>{"aten.add", "aten.sub"});
  CHECK(read.at("torch/a.py:f").number == 70);
}

TEST_CASE("documented: schemas and docstrings") {
  const auto read = read_documented(
      R"({"operators": [{"operator": "relu", "schemas": ["aten::relu(Tensor self) -> Tensor"], "text": "Clamps."}]})");
  REQUIRE(read.size() == 1);
  CHECK(read[0].name == "relu");
  CHECK(read[0].schemas.size() == 1);
  CHECK(read[0].text == "Clamps.");
}

TEST_CASE("siblings: what they are to the functions that fired") {
  const auto read = read_siblings(
      R"({"functions": [{"file": "torch/a.py", "name": "f", "first_line": 3, "last_line": 4, "relation": "right", "to": "prod"},)"
      R"({"file": "torch/a.py", "name": "g", "first_line": 5, "last_line": 6, "relation": "alike", "to": "h"}]})");
  REQUIRE(read.size() == 2);
  CHECK(read[0].relation == Relation::right);
  CHECK(read[0].last_line == 4);
  CHECK(read[1].relation == Relation::alike);
  CHECK(read[1].to == "h");
}

TEST_CASE("a tool that gave no answer, or another one, tells nothing") {
  for (const char* text : {"", "killed\n", "{", "[]", "{}", R"({"functions": [{}], "operators": [{}]})",
                           R"({"functions": 1, "operators": "x"})", R"({"functions": [1], "operators": [[]]})"}) {
    CAPTURE(text);
    CHECK(read_callers(text).empty());
    CHECK(read_documented(text).empty());
    CHECK(read_siblings(text).empty());
  }
}
