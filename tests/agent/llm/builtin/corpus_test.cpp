#include <filesystem>
#include <fstream>
#include <set>

#include "agent/llm/reply.h"
#include "executor/syntax/syntax_client.h"
#include "tests/agent/llm/builtin/fixture.h"

using namespace parityd::agent;

TEST_CASE("every item of the shipped corpus is a program of a strategy") {
  const auto corpus = load_corpus(testing::shipped_corpus());
  REQUIRE(corpus.has_value());
  int recorded = 0;
  const std::set<std::string> strategies{"operators",  "dtypes",   "views",      "dynamic",          "training",
                                         "control",    "patterns", "edge",       "source",           "trees",
                                         "caches",     "hooks",    "subclasses", "custom_operators", "higher_order",
                                         "transforms", "steps",    "quantised"};
  parityd::executor::SyntaxClient syntax("", testing::test_python(), PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                                         std::filesystem::temp_directory_path());
  for (const CorpusItem& item : *corpus) {
    CAPTURE(item.name);
    CHECK(strategies.count(item.strategy) == 1);
    const auto extracted = extract_program(item.text, Finish::stop);
    REQUIRE(extracted.klass == ReplyClass::program);
    CHECK_FALSE(extracted.truncated);
    CHECK(item.text.find(extracted.program) != std::string::npos);
    recorded += std::filesystem::exists(testing::shipped_corpus() / (item.name + ".md")) ? 1 : 0;
    syntax.normalise(extracted.program, true, false, [&](const auto& result) {
      REQUIRE(result.has_value());
      CHECK(result->fixes.empty());
      CHECK(result->has_model);
      CHECK(result->has_inputs);
    });
    syntax.wait();
  }
  CHECK(recorded == 64);
  CHECK(corpus->size() >= 204);
}

TEST_CASE("a missing corpus folder is an error that names the folder") {
  const auto corpus = load_corpus("/nonexistent/corpus");
  REQUIRE_FALSE(corpus.has_value());
  CHECK(corpus.error().find("/nonexistent/corpus") != std::string::npos);
  CHECK_THROWS_AS(BuiltinProvider("/nonexistent/corpus", 0), std::runtime_error);
}
