// Generated regression tests run with the torch at hand: they fail on the bug in the way that its kind says, and pass
// where there is none.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "tests/catch.h"
#include "tests/files.h"
#include "tests/store/facts.h"
#include "tests/store/report/script_run.h"
#include "tests/text.h"
#include "tests/this_build.h"

using namespace parityd;
using namespace parityd::tests;
using oracle::Kind;

namespace {

std::string program(const std::string& name) {
  return read_file(std::filesystem::path(PARITYD_SOURCE_DIR) / "tests" / "programs" / (name + ".py"));
}

ScriptRun run_test(const store::DraftFacts& facts) { return run_script(store::render_regression_test(facts)); }

/// Why these tests cannot run here; empty: they can.
std::string why_not() {
  if (const auto without = no_torch()) return *without;
  const auto command =
      fmt::format("'{}' -c 'import expecttest' 2> /dev/null", this_build::python_with_torch().string());
  return std::system(command.c_str()) == 0 ? "" : "PyTorch's test utilities need expecttest, which is not installed";
}

}  // namespace

TEST_CASE("a test of wrong numbers fails like PyTorch's own comparison and passes without the fault") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const auto text = program("numerical_relu");
  const char* const options = R"({"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "accuracy"}})";
  auto facts = facts_of(Kind::numerical, text, options);
  facts.finding.operators = {"aten.relu.default", "aten.mul.Tensor"};
  const auto shown = run_test(facts);
  CAPTURE(shown.err);
  CHECK(shown.status != 0);
  CHECK(contains(shown.err, "FAIL: test_relu_mul_numerical"));
  CHECK(contains(shown.err, "Tensor-likes are not close!"));
  CHECK(contains(shown.err, "FAILED (failures=1)"));
  const auto healthy = run_test(facts_of(Kind::numerical, text));
  CAPTURE(healthy.err);
  CHECK(healthy.status == 0);
  CHECK(contains(healthy.err, "Ran 1 test"));
}

TEST_CASE("a test of a missing check fails because compiled code does not raise") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const auto shown = run_test(facts_of(Kind::missing_check, program("missing_check_ceil")));
  CAPTURE(shown.err);
  CHECK(shown.status != 0);
  CHECK(contains(shown.err, "AssertionError: Exception not raised"));
  CHECK(contains(shown.err, "FAILED (failures=1)"));
}

TEST_CASE("a test of behaviour fails with the exception of compiled code") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const char* const options = R"({"inductor_config": {"cpp.inject_relu_bug_TESTING_ONLY": "compile_error"}})";
  const auto shown = run_test(facts_of(Kind::behaviour, program("behaviour_compile_error"), options));
  CAPTURE(shown.err);
  CHECK(shown.status != 0);
  CHECK(contains(shown.err, "FAILED (errors=1)"));
}

TEST_CASE("a test of a crash survives it and names the signal") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  const auto shown = run_test(facts_of(Kind::crash, program("crash_compiled")));
  CAPTURE(shown.err);
  CHECK(shown.status != 0);
  CHECK(contains(shown.err, "the compiled program crashed"));
  CHECK(contains(shown.err, "FAILED (failures=1)"));
}

TEST_CASE("every other kind has a test that passes without a bug") {
  if (const auto why = why_not(); !why.empty()) PARITYD_SKIP(why.c_str());
  for (const Kind kind : {Kind::gradient, Kind::mutation, Kind::metadata, Kind::hang}) {
    CAPTURE(oracle::name(kind));
    const auto text = program("consistent_mlp");
    const auto ran = run_test(facts_of(kind, text, kind == Kind::gradient ? R"({"backward": true})" : "{}"));
    CAPTURE(ran.err);
    CHECK(ran.status == 0);
  }
}
