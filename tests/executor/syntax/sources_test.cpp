// Units and promises, read from a small tree of sources that is ours, and from the torch of this build.

#include <algorithm>
#include <fstream>

#include "executor/syntax/source_client.h"
#include "tests/executor/syntax/fixture.h"
#include "tests/files.h"

using namespace parityd::executor;
using namespace parityd::executor::testing;

namespace {

const std::filesystem::path kSample = PARITYD_SOURCE_DIR "/tests/executor/syntax/sample/torch";

class Reader {
 public:
  explicit Reader(const std::filesystem::path& folder = kSample)
      : client_({.launcher = {},
                 .python = test_python(),
                 .script = PARITYD_SOURCE_DIR "/executor/syntax/syntax.py",
                 .scratch = std::filesystem::temp_directory_path()},
                folder) {}

  tl::expected<SourceFiles, SyntaxError> files() {
    tl::expected<SourceFiles, SyntaxError> result;
    client_.files([&](auto answer) { result = std::move(answer); });
    client_.wait();
    return result;
  }
  std::vector<SourceUnit> units(const std::string& file) {
    std::vector<SourceUnit> result;
    client_.units(file, [&](auto answer) {
      INFO((answer ? "" : answer.error().message));
      REQUIRE(answer.has_value());
      result = *answer;
    });
    client_.wait();
    return result;
  }
  std::map<std::string, EagerPromise> promises(const std::vector<std::string>& operators) {
    std::map<std::string, EagerPromise> result;
    client_.promises(operators, [&](auto answer) { result = answer.value(); });
    client_.wait();
    return result;
  }

 private:
  SourceClient client_;
};

SourceUnit named(const std::vector<SourceUnit>& units, const std::string& name) {
  const auto found = std::ranges::find_if(units, [&](const SourceUnit& unit) { return unit.place.name == name; });
  INFO(name);
  REQUIRE(found != units.end());
  return *found;
}

std::vector<std::string> names(const std::vector<SourceUnit>& units) {
  std::vector<std::string> all;
  all.reserve(units.size());
  for (const auto& unit : units) all.push_back(unit.place.name);
  return all;
}

/// The code hash of a function of this text.
std::string code_of(const std::string& text) {
  const parityd::tests::TemporaryFolder folder;
  folder.write("_decomp/one.py", text);
  Reader reader(folder.path());
  const auto units = reader.units("_decomp/one.py");
  REQUIRE(units.size() == 1);
  return units.front().code;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("sources: the files of a torch, its version and a stable fingerprint are found") {
  Reader reader;
  const auto files = reader.files();
  REQUIRE(files.has_value());
  CHECK(files->torch == "9.1.0+sample");
  CHECK(files->files == Names{"_decomp/__init__.py", "_decomp/decompositions.py", "_inductor/fx_passes/joint.py",
                              "_inductor/lowering.py", "_inductor/utils.py", "_torch_docs.py", "nn/functional.py",
                              "testing/_internal/common_methods_invocations.py"});
  CHECK(files->fingerprint == reader.files()->fingerprint);
  CHECK(files->fingerprint.size() == 32);
}

TEST_CASE("sources: units are functions, methods and registrations in the order of the file") {
  Reader reader;
  const auto units = reader.units("_inductor/lowering.py");
  CHECK(names(units) == Names{"promoted", "double_up", "forward_only", "halve = register_pointwise(aten.halve)",
                              "register_pointwise(aten.third)", "Layout.size", "Layout.stride", "fourth"});
  const auto unit = named(units, "double_up");
  CHECK(unit.area == "lowerings");
  CHECK(unit.text.starts_with("@register_lowering(aten.double_up"));
  CHECK(unit.text.ends_with("return decompositions.doubled(y)\n"));
  CHECK(unit.last_line - unit.first_line == 6);
  CHECK(unit.registers == Names{"register_lowering(aten.double_up, broadcast=True)"});
  CHECK(unit.operators == Names{"aten.double_up"});
  CHECK(unit.calls ==
        std::vector<SourcePlace>{{"_inductor/lowering.py", "promoted"}, {"_decomp/decompositions.py", "doubled"}});
  CHECK(named(units, "fourth").operators == Names{"aten.fourth.default", "aten.fourth.out"});
  CHECK(named(units, "promoted").calls == std::vector<SourcePlace>{{"_inductor/utils.py", "is_small"}});
  INFO("methods know each other through self");
  CHECK(named(units, "Layout.stride").calls ==
        std::vector<SourcePlace>{{"_inductor/lowering.py", "Layout.size"}, {"_inductor/lowering.py", "promoted"}});
}

TEST_CASE("sources: units with nothing to examine are trivial") {
  Reader reader;
  const auto units = reader.units("_inductor/lowering.py");
  for (const char* name : {"forward_only", "register_pointwise(aten.third)", "Layout.size"}) {
    CHECK(named(units, name).trivial);
  }
  for (const char* name : {"double_up", "Layout.stride"}) CHECK_FALSE(named(units, name).trivial);
}

TEST_CASE("sources: a pattern is registered by a call, wherever it is") {
  Reader reader;
  const auto units = reader.units("_inductor/fx_passes/joint.py");
  CHECK(named(units, "pattern").registers == Names{"register_replacement(pattern, replacement, device='cpu')"});
  CHECK(named(units, "replacement").registers == named(units, "pattern").registers);
  CHECK(named(units, "begin").registers.empty());
  CHECK(named(units, "begin").area == "graph passes");
}

TEST_CASE("sources: comments, docstrings, annotations and layout do not change code") {
  const std::string code = code_of("def f(x, y=2):\n    z = x + y\n    return g(z, y)\n");
  CHECK(code == code_of("def f(x: int, y: int = 2) -> int:\n    \"\"\"Adds.\"\"\"\n    # so\n    z: int = x + y\n"
                        "    return g(\n        z,\n        y,\n    )\n"));
  CHECK(code != code_of("def f(x, y=3):\n    z = x + y\n    return g(z, y)\n"));
  CHECK(code != code_of("def f(x, y=2):\n    z = x + y\n    return g(z)\n"));
  INFO("what stands in a string is no comment");
  CHECK(code_of("def f(x):\n    return '# a'\n") != code_of("def f(x):\n    return '# b'\n"));
}

TEST_CASE("sources: documentation and samples are units in their own areas") {
  Reader reader;
  const auto docs = reader.units("_torch_docs.py");
  CHECK(names(docs) == Names{"add_docstr", "torch.double_up"});
  CHECK(named(docs, "torch.double_up").area == "documentation");
  CHECK(holds(named(docs, "torch.double_up").text, "Adds :attr:`input` to itself."));
  const auto samples = reader.units("testing/_internal/common_methods_invocations.py");
  CHECK(names(samples) == Names{"sample_inputs_double_up", "OpInfo double_up", "UnaryUfuncInfo special.halve"});
  CHECK(named(samples, "OpInfo double_up").area == "samples");
  CHECK_FALSE(named(samples, "OpInfo double_up").trivial);
}

TEST_CASE("sources: guarantees that eager makes for an operator are found") {
  Reader reader;
  const auto known = reader.promises({"aten.double_up.default", "aten.halve", "aten.nobody"});
  CHECK(known.size() == 2);
  const auto& doubled = known.at("aten.double_up.default");
  CHECK(doubled.schemas == Names{"aten::double_up(Tensor self, *, int by=2) -> Tensor"});
  CHECK(doubled.docstring == "double_up(input, *, by=2) -> Tensor\nAdds :attr:`input` to itself.\nArgs:");
  CHECK(doubled.samples.starts_with("def sample_inputs_double_up(op_info, device):\n"));
  const auto& halved = known.at("aten.halve");
  CHECK(halved.signature == "torch.nn.functional.halve(input, *, rounding: str='none')");
  CHECK(halved.docstring == "Half of the input, of its dtype.");
}

TEST_CASE("sources: a missing torch and a file that is not Python are reported") {
  Reader nowhere("/nonexistent/torch");
  const auto files = nowhere.files();
  REQUIRE_FALSE(files.has_value());
  CHECK(holds(files.error().message, "version.py"));
}

TEST_CASE("sources: well-known units of this build's torch are found") {
  const auto python = parityd::this_build::python_with_torch();
  if (python.empty()) PARITYD_SKIP("needs a Python with torch");
  Reader reader("");
  const auto files = reader.files();
  REQUIRE(files.has_value());
  CHECK(files->files.size() > 150);
  const auto lowerings = reader.units("_inductor/lowering.py");
  CHECK(lowerings.size() > 300);
  const auto cat = named(lowerings, "cat");
  CHECK(cat.operators == Names{"aten.cat"});
  CHECK_FALSE(cat.calls.empty());
  CHECK_FALSE(named(reader.units("_inductor/scheduler.py"), "Scheduler.fuse_nodes").trivial);
  const auto decompositions = reader.units("_decomp/decompositions.py");
  CHECK(named(decompositions, "huber_loss_backward").area == "decompositions");
  CHECK_FALSE(named(reader.units("_meta_registrations.py"), "meta_mm").registers.empty());
  CHECK_FALSE(named(reader.units("_inductor/fx_passes/fuse_attention.py"), "_sfdp_pattern_1").text.empty());
  CHECK_FALSE(reader.promises({"aten.huber_loss"}).at("aten.huber_loss").docstring.empty());
}
