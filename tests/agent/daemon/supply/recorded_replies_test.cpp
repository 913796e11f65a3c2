// Replies that a capable model wrote in one try each, seeing nothing but the prompt, and its repairs of those that
// failed: every one must pass extraction, free fixes and classification. tests/prompts/recorded_replies.jsonl holds all
// of a series, failed_replies.jsonl those that failed of later series (docs/strategies.md).
#include <fstream>
#include <nlohmann/json.hpp>

#include "agent/daemon/program/operators_kept.h"
#include "agent/llm/reply.h"
#include "prompts/error_class.h"
#include "prompts/strategy.h"
#include "tests/executor/syntax/fixture.h"

using namespace parityd;
using executor::testing::holds;
using executor::testing::StartedSyntax;
using nlohmann::json;

namespace {

std::vector<json> recorded() {
  std::vector<json> rows;
  for (const char* const name : {"recorded_replies.jsonl", "failed_replies.jsonl"}) {
    std::ifstream file(std::string(PARITYD_SOURCE_DIR "/tests/prompts/") + name);
    REQUIRE(file);
    for (std::string line; std::getline(file, line);) {
      rows.push_back(json::parse(line));
    }
  }
  return rows;
}

/// The program as it would be taken in.
executor::Normalised taken_in(StartedSyntax& syntax, const json& reply) {
  const auto extracted = agent::extract_program(reply.get<std::string>(), agent::Finish::stop);
  REQUIRE(extracted.klass == agent::ReplyClass::program);
  const auto program = syntax.normalise(extracted.program, true, extracted.truncated);
  REQUIRE(program.has_value());
  CHECK(program->has_model);
  CHECK(program->has_inputs);
  return *program;
}

prompts::RepairFacts facts_for(const json& row, const executor::Normalised& program) {
  const auto& failure = row["failure"];
  return {.program = program.text,
          .error = failure["message"],
          .error_class = row["class"],
          .where = failure["where"],
          .line = failure["line"],
          .source_line = failure["source"],
          .live_tensors = failure["live"]};
}

}  // namespace

TEST_CASE("recorded replies are extracted and parsed, whatever their strategy") {
  StartedSyntax syntax;
  for (const auto& row : recorded()) {
    CAPTURE(row["name"].get<std::string>());
    taken_in(syntax, row["reply"]);
  }
}

TEST_CASE("recorded failures get their class, its advice, and repairs that keep the operators under test") {
  const auto shipped = prompts::load_prompts(PARITYD_SOURCE_DIR "/prompts", {}).value();
  StartedSyntax syntax;
  for (const auto& row : recorded()) {
    if (!row.contains("failure")) {
      continue;
    }
    CAPTURE(row["name"].get<std::string>());
    const auto& failure = row["failure"];
    const auto error_class = prompts::classify({.exception = failure["exception"], .message = failure["message"]});
    CHECK(prompts::name(error_class) == row["class"].get<std::string>());
    CHECK(prompts::worth_repairing(error_class));

    const auto before = taken_in(syntax, row["reply"]);
    const auto prompt = prompts::render_repair(shipped, facts_for(row, before));
    CHECK(holds(prompt, failure["source"].get<std::string>()));
    CHECK(holds(prompt, shipped.advice.at(row["class"])));
    CHECK(prompt.size() < 8'000);

    const auto after = taken_in(syntax, row["repair"]);
    CHECK(after.identity != before.identity);
    const agent::OperatorSets operators{.before = syntax.outline(before.text)->operators,
                                        .after = syntax.outline(after.text)->operators};
    CHECK(agent::keeps_operators(operators, prompts::blames_operator(error_class)) == row.value("kept", true));
  }
}

TEST_CASE("a repair keeps the operators under test if their forms remain, however shapes are arranged") {
  const std::vector<std::string> before{"torch.cummax", "F.pad", ".view", ".sum", "nn.Linear"};
  CHECK(agent::keeps_operators({before, {".cummax", "F.pad", ".reshape", "torch.sum", "F.linear"}}, false));
  CHECK(agent::keeps_operators({before, {"torch.cummax", "F.pad", "nn.Linear"}}, false));  // one of four
  const agent::OperatorSets less{before, {"torch.add", "F.pad"}};
  CHECK_FALSE(agent::keeps_operators(less, false));
  CHECK_FALSE(agent::keeps_operators(less, true));
  CHECK(agent::lost_operators(less) == std::vector<std::string>{"cummax", "linear", "sum"});
  const agent::OperatorSets only{{"torch.logcumprod", "torch.sin"}, {"torch.logcumsumexp", "torch.sin"}};
  CHECK_FALSE(agent::keeps_operators(only, false));
  CHECK(agent::keeps_operators(only, true));
}
