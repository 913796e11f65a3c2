#include <nlohmann/json.hpp>

#include "tests/executor/syntax/fixture.h"

using namespace parityd::executor::testing;

namespace {

std::string identity(StartedSyntax& syntax, const std::string& program) {
  const auto result = syntax.normalise(program, false);
  REQUIRE(result.has_value());
  return result->identity;
}

}  // namespace

TEST_CASE("formatting, comments and docstrings do not change a program's identity") {
  StartedSyntax syntax;
  const std::string plain = identity(syntax, program_returning("torch.cat([x, x], dim=1) + 'a'"));
  CHECK(plain.size() == 32);
  CHECK(plain.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(plain == identity(syntax, program_returning("torch.cat( [ x,x ], dim = 1 )+\"a\"  # joined")));
  CHECK(plain ==
        identity(syntax, program_returning("(torch.cat(\n            [x, x],\n            dim=1,\n        ) + u'a')")));
  std::string documented = "\"\"\"Joins.\"\"\"\n" + program_returning("torch.cat([x, x], dim=1) + 'a'");
  documented.replace(documented.find("        return torch"), 0, "        \"\"\"Here.\"\"\"\n");
  CHECK(plain == identity(syntax, documented));
}

TEST_CASE("another operator, constant, name or option changes a program's identity") {
  StartedSyntax syntax;
  const std::string base = identity(syntax, program_returning("torch.sin(x) + 1"));
  CHECK(base != identity(syntax, program_returning("torch.cos(x) + 1")));
  CHECK(base != identity(syntax, program_returning("torch.sin(x) + 2")));
  CHECK(base != identity(syntax, program_returning("torch.sin(x) + 1.0")));
  CHECK(base != identity(syntax, program_returning("torch.sin(x) + 1") + "\n\nOPTIONS = {'dynamic': True}\n"));
}

TEST_CASE("defaults that do not apply to a program are omitted") {
  StartedSyntax syntax;
  const std::string step = program_returning("x") + "\n\ndef step(model, inputs, state):\n    return model(*inputs)\n";
  const auto options = [&](const std::string& program, const std::string& defaults) {
    return syntax.with_options(program, defaults)->options();
  };
  CHECK(options(step, R"({"own_random": true, "threads": 2})") == nlohmann::json::parse(R"({"threads": 2})"));
  CHECK(options(step, R"({"mode": "exported"})") == nlohmann::json::object());
  CHECK(options(step, R"({"backward": true, "mode": "inductor_memory_budget"})") ==
        nlohmann::json::parse(R"({"mode": "inductor_memory_budget"})"));
  CHECK(options(program_returning("x") + "\n\nOPTIONS = {'autocast': True}\n",
                R"({"autocast": "float16", "mode": "inductor_autocast_half"})") ==
        nlohmann::json::parse(R"({"autocast": true})"));
  CHECK(options(program_returning("x") + "\n\nOPTIONS = {'backward': True}\n",
                R"({"grad": false, "backward": false, "mode": "aot_inductor"})")["mode"]
            .is_null());
}

TEST_CASE("options are read as data and defaults never override them") {
  StartedSyntax syntax;
  const std::string program = program_returning("x") + "\n\nOPTIONS = {'calls': 2, 'mark_dynamic': [[0, 1]]}\n";
  const auto result = syntax.normalise(program);
  REQUIRE(result.has_value());
  CHECK(result->options() == nlohmann::json::parse(R"({"calls": 2, "mark_dynamic": [[0, 1]]})"));

  const auto merged = syntax.with_options(program, R"({"calls": 1, "dynamic": true, "dynamo_config": {"a.b": null}})");
  REQUIRE(merged.has_value());
  CHECK(merged->options() ==
        nlohmann::json::parse(
            R"({"calls": 2, "mark_dynamic": [[0, 1]], "dynamic": true, "dynamo_config": {"a.b": null}})"));

  const auto added = syntax.with_options(program_returning("x"), R"({"train": true})");
  REQUIRE(added.has_value());
  CHECK(holds(added->text, "\n\n\nOPTIONS = {'train': True}\n"));
  CHECK(added->identity == syntax.normalise(added->text)->identity);
  CHECK(syntax.with_options(added->text, R"({"train": false})")->text == added->text);
  CHECK(syntax.with_options(program_returning("x"), "{}")->text == program_returning("x"));
  CHECK_FALSE(syntax.with_options(program, "[1]").has_value());
  CHECK_FALSE(
      syntax.with_options(program_returning("x") + "OPTIONS = dict(a=f())\n", R"({"train": true})").has_value());
}
