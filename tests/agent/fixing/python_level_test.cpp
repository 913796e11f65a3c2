// Which findings are left to those who write C++; the others, and every doubtful one, go to the model.
#include "agent/fixing/python_level.h"

#include <filesystem>

#include "store/store.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
using oracle::Kind;

namespace {

store::FindingRow finding(Kind kind, const std::string& signature, const std::string& neutraliser = {}) {
  store::FindingRow row;
  row.kind = kind;
  row.signature.text = signature;
  row.neutraliser = neutraliser;
  return row;
}

agent::Fired fired(bool common) {
  return {.functions = {{.file = "torch/_inductor/lowering.py", .name = "sum_", .common = common}},
          .counts = {{"kernels", 0}, {"fallback:aten.foo.default", 1}}};
}

const std::string kRaised = "behaviour | RuntimeError | RuntimeError | expected scalar type Float but found Half";

}  // namespace

TEST_CASE("a death in a kernel is C++, and the signal and the place are told") {
  CHECK(agent::why_not_python(
            finding(Kind::crash, "crash | signal 11 | libtorch_cpu.so:at::native::cpu_cum_base_kernel")) ==
        "it is killed by signal 11 in libtorch_cpu.so:at::native::cpu_cum_base_kernel, which is C++");
  CHECK(agent::why_not_python(finding(Kind::crash, "crash | signal 6 | libc10.so+0x12")).has_value());
}

TEST_CASE("a death in generated code, in the interpreter, in Python or at an unknown place may be Python") {
  for (const char* rest :
       {"generated:kernel", "generated+0x12", "graph.py:run", "libpython3.11.so.1.0:_PyEval_EvalFrameDefault",
        "libtorch_python.so:torch::dynamo::GuardManager::check", "aten.foo.default,add.Tensor", ""}) {
    CAPTURE(rest);
    CHECK_FALSE(agent::why_not_python(finding(Kind::crash, std::string("crash | signal 11 | ") + rest)));
  }
  CHECK_FALSE(agent::why_not_python(finding(Kind::crash, "crash | exit 1")));
}

TEST_CASE("what vanishes with a part of the compiler is Python, wherever it dies") {
  CHECK_FALSE(agent::why_not_python(finding(Kind::crash,
                                            "crash | signal 11 | libtorch_cpu.so:at::native::foo | lowering aten.foo",
                                            "lowering aten.foo.default")));
}

TEST_CASE("an error without a frame of the compiler is C++ only if the compiler did nothing for the program") {
  const auto raised = finding(Kind::behaviour, kRaised);
  const auto nothing = fired(true);
  const auto something = fired(false);
  const auto why = agent::why_not_python(raised, &nothing);
  REQUIRE(why);
  CHECK(why->find("RuntimeError is raised outside of torch's Python") != std::string::npos);
  CHECK(why->find("expected scalar type Float") != std::string::npos);
  CHECK_FALSE(agent::why_not_python(raised, &something));
  CHECK_FALSE(agent::why_not_python(raised));
  const agent::Fired unseen;  // torch.export: the tool traces torch.compile
  CHECK_FALSE(agent::why_not_python(raised, &unseen));
  CHECK_FALSE(agent::why_not_python(finding(Kind::behaviour, kRaised + " | graph.py:run"), &nothing));
  CHECK_FALSE(agent::why_not_python(finding(Kind::behaviour, "behaviour | KeyError | KeyError | 'x'"), &nothing));
  CHECK_FALSE(agent::why_not_python(finding(Kind::numerical, "numerical | inductor | foo | float | cpu"), &nothing));
}

TEST_CASE("a finding whose fault is eager's is not the compiler's") {
  auto row = finding(Kind::numerical, "numerical | inductor | foo | float | cpu");
  row.side = oracle::Side::eager;
  CHECK(agent::why_not_python(row)->find("eager is at fault") == 0);
}

TEST_CASE("text of a program in a signature stays one line of bounded length", "[attacks]") {
  const auto why = agent::why_not_python(
      finding(Kind::crash, "crash | signal 11 | libtorch_cpu.so:\x1b[2J\n\n" + std::string(100'000, 'x')));
  REQUIRE(why);
  CHECK(why->size() < 400);
  CHECK(why->find_first_of("\x1b\n") == std::string::npos);
}

TEST_CASE("none of the shipped findings is C++") {
  const tests::TemporaryFolder folder;
  const auto file = folder.path() / "parityd.db";
  std::filesystem::copy_file(PARITYD_SOURCE_DIR "/store/sample.db", file);
  const store::Store store(file, store::Access::write);
  const auto rows = store.findings.list({});
  CHECK(rows.size() >= 16);
  for (const auto& row : rows) {
    CAPTURE(row.title);
    CHECK_FALSE(agent::why_not_python(row));
  }
}
