// Generated regression tests run with the torch at hand: they fail on the bug in the way that its kind says, and pass
// where there is none.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "facts.h"
#include "fixture.h"
#include "tests/catch.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string program(const std::string& name) {
  return text_of(std::filesystem::path(PARITYD_SOURCE_DIR) / "tests" / "programs" / (name + ".py"));
}

struct Ran {
  bool passed = false;
  std::string output;
};

Ran run_test(const store::DraftFacts& facts) {
  const Folder folder;
  const auto file = folder.path() / "test_regression.py";
  const auto log = folder.path() / "log";
  std::ofstream(file) << store::render_regression_test(facts);
  const std::string command =
      fmt::format("cd {0} && TORCHINDUCTOR_CACHE_DIR=" PARITYD_BINARY_DIR "/repro-cache '{1}' {2} > {3} 2>&1",
                  folder.path().string(), PARITYD_TEST_PYTHON, file.string(), log.string());
  const int status = std::system(command.c_str());
  return {.passed = WIFEXITED(status) && WEXITSTATUS(status) == 0, .output = text_of(log)};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Why these tests cannot run here; empty: they can.
std::string why_not() {
  if (std::string(PARITYD_TEST_PYTHON).empty()) return "no Python with torch was configured";
  const auto command = fmt::format("'{}' -c 'import expecttest' 2> /dev/null", PARITYD_TEST_PYTHON);
  return std::system(command.c_str()) == 0 ? "" : "PyTorch's test utilities need expecttest, which is not installed";
}

}  // namespace

TEST_CASE("a test of wrong numbers fails as PyTorch's own comparison does, and passes without the fault") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const auto text = program("numerical_relu");
  const char* const options = R"({"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}})";
  auto facts = facts_of(Kind::numerical, text, options);
  facts.finding.operators = {"aten.relu.default", "aten.mul.Tensor"};
  const Ran shown = run_test(facts);
  CAPTURE(shown.output);
  CHECK_FALSE(shown.passed);
  CHECK(contains(shown.output, "FAIL: test_relu_mul_numerical"));
  CHECK(contains(shown.output, "Tensor-likes are not close!"));
  CHECK(contains(shown.output, "FAILED (failures=1)"));
  const Ran healthy = run_test(facts_of(Kind::numerical, text));
  CAPTURE(healthy.output);
  CHECK(healthy.passed);
  CHECK(contains(healthy.output, "Ran 1 test"));
}

TEST_CASE("a test of a missing check fails because compiled does not raise") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const Ran shown = run_test(facts_of(Kind::missing_check, program("missing_check_ceil")));
  CAPTURE(shown.output);
  CHECK_FALSE(shown.passed);
  CHECK(contains(shown.output, "AssertionError: Exception not raised"));
  CHECK(contains(shown.output, "FAILED (failures=1)"));
}

TEST_CASE("a test of behaviour fails with what compiled raises") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const char* const options = R"({"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "compile_error"}})";
  const Ran shown = run_test(facts_of(Kind::behaviour, program("behaviour_compile_error"), options));
  CAPTURE(shown.output);
  CHECK_FALSE(shown.passed);
  CHECK(contains(shown.output, "FAILED (errors=1)"));
}

TEST_CASE("a test of a crash outlives it and names the signal") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const Ran shown = run_test(facts_of(Kind::crash, program("crash_compiled")));
  CAPTURE(shown.output);
  CHECK_FALSE(shown.passed);
  CHECK(contains(shown.output, "the compiled program died of a signal"));
  CHECK(contains(shown.output, "FAILED (failures=1)"));
}

TEST_CASE("every other kind has a test that passes where there is no bug") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  for (const Kind kind : {Kind::gradient, Kind::mutation, Kind::metadata, Kind::hang}) {
    CAPTURE(oracle::name(kind));
    const auto text = program("consistent_mlp");
    const Ran ran = run_test(facts_of(kind, text, kind == Kind::gradient ? R"({"backward": true})" : "{}"));
    CAPTURE(ran.output);
    CHECK(ran.passed);
  }
}
