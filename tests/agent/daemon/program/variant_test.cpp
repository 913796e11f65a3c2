#include "agent/daemon/program/variant.h"

#include "agent/daemon/program/examiner.h"
#include "tests/catch.h"
#include "tests/text.h"

using namespace parityd;
using agent::has_settings;
using agent::variant_options;
using agent::variant_text;

namespace {

constexpr const char* kProgram = "class Model: pass\n";
constexpr const char* kOptions =
    R"({"train":true,"calls":2,"threads":8,"dynamic":true,"mode":"inductor_max_autotune","dynamo_config":{"a":1}})";

using parityd::tests::contains;

}  // namespace

TEST_CASE("settings are those OPTIONS that change how the model is compiled") {
  for (const char* plain : {"{}", "not JSON", R"({"train":true,"grad":true,"backward":true,"calls":3,"threads":8})",
                            R"({"dynamic":false,"fullgraph":false,"mark_dynamic":[],"mode":"inductor"})"}) {
    CAPTURE(plain);
    CHECK(!has_settings(plain));
  }
  for (const char* own : {R"({"dynamic":true})", R"({"fullgraph":true})", R"({"mark_dynamic":[[0,1]]})",
                          R"({"mode":"inductor_freezing"})", R"({"inductor_config":{"max_fusion_size":1}})"}) {
    CAPTURE(own);
    CHECK(has_settings(own));
  }
}

TEST_CASE("under default settings only the OPTIONS that define the program remain") {
  const oracle::TriggerTrial trial{.seed = 2, .default_settings = true};
  CHECK(variant_options(kOptions, trial) == R"({"calls":2,"threads":8,"train":true})");
  CHECK(agent::compiled_mode(variant_options(kOptions, trial)) == oracle::Mode::inductor);
  const auto text = variant_text(kProgram, kOptions, trial);
  CHECK(text.starts_with(kProgram));
  CHECK(contains(text, "get_inputs = _parityd_ordinary(get_inputs, 2)\n"));
  CHECK(text.ends_with("OPTIONS = {\"calls\": 2, \"threads\": 8, \"train\": True}\n"));
}

TEST_CASE("under its own settings the program keeps its OPTIONS") {
  const oracle::TriggerTrial trial{.seed = 3, .default_settings = false};
  CHECK(agent::compiled_mode(variant_options(kOptions, trial)) == oracle::Mode::inductor_max_autotune);
  const auto text = variant_text(kProgram, kOptions, trial);
  CHECK(contains(text, "_parityd_ordinary(get_inputs, 3)"));
  CHECK(!contains(text, "OPTIONS"));
}

TEST_CASE("an option of a wrong type is not rendered as Python") {
  const oracle::TriggerTrial trial{.seed = 1, .default_settings = true};
  const auto text = variant_text(kProgram, R"({"train":"x\\ny","calls":1.5})", trial);
  CHECK(text.ends_with("OPTIONS = {}\n"));
}
