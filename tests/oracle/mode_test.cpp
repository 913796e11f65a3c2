#include "oracle/mode.h"

#include "oracle/rules/signature.h"
#include "tests/catch.h"

using namespace parityd::oracle;

TEST_CASE("each mode has its own name") {
  for (const ModeRow& row : mode_rows()) CHECK(name(from_name<Mode>(row.name).value()) == row.name);
  CHECK_FALSE(from_name<Mode>("inductor_"));
}

TEST_CASE("the modes of the stage runs are the stages before Inductor in order") {
  const auto stages = modes_of(Look::stage);
  for (std::size_t index = 0; index < stages.size(); ++index) {
    CHECK(from_name<Stage>(name(stages[index])) == static_cast<Stage>(index));
  }
  CHECK(static_cast<std::size_t>(Stage::inductor) == stages.size());
}

TEST_CASE("modes that are compared with each other are of one kind") {
  for (const ModeRow& each : mode_rows()) {
    if (each.against) CHECK(row(*each.against).normal == each.normal);
  }
}

TEST_CASE("the configuration draws only modes that OPTIONS may name") {
  for (const ModeRow& each : mode_rows()) {
    CHECK(each.key.empty() == (each.weight == 0));
    if (!each.key.empty()) CHECK(each.look == Look::chosen);
  }
}
