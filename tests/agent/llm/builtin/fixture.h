// Prompts answered by a builtin provider, one after another.
#pragma once

#include <optional>
#include <string>

#include "agent/llm/builtin/builtin.h"
#include "tests/catch.h"
#include "tests/this_build.h"

namespace parityd::agent::testing {

inline std::filesystem::path test_python() {
  const auto configured = this_build::python_with_torch();
  return configured.empty() ? "python3" : configured;
}

inline std::filesystem::path shipped_corpus() { return PARITYD_SOURCE_DIR "/prompts/corpus"; }

inline std::size_t corpus_size() { return load_corpus(shipped_corpus()).value().size(); }

class Builtin {
 public:
  explicit Builtin(std::uint64_t seed) : provider_(shipped_corpus(), seed) {}

  BuiltinProvider& provider() { return provider_; }

  Reply reply(std::uint64_t position) {
    provider_.submit(static_cast<RequestId>(position),
                     Prompt{.strategy = "operators", .messages = {}, .provider = "", .number = position}, {});
    const std::vector<Answer> answers = provider_.take_answers({});
    REQUIRE(answers.size() == 1);
    REQUIRE(answers[0].id == static_cast<RequestId>(position));
    REQUIRE(answers[0].reply.has_value());
    return *answers[0].reply;
  }

 private:
  BuiltinProvider provider_;
};

}  // namespace parityd::agent::testing
