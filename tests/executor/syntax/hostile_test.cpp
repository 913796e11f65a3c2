#include <filesystem>
#include <fstream>

#include "tests/executor/support.h"
#include "tests/executor/syntax/fixture.h"
#include "tests/this_build.h"

using namespace parityd::executor::testing;

namespace {

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t at = 0; at < count; ++at) result += text;
  return result;
}

}  // namespace

TEST_CASE("hostile programs are answered with an error or a result, and the next request works") {
  StartedSyntax syntax;
  const std::vector<std::string> programs{
      "",
      "\n\n\n",
      std::string("x = 1\0y", 7),
      "def f(:\n",
      repeated("(", 5000),
      repeated("[", 300) + repeated("]", 300),
      "x = " + repeated("-", 50000) + "1\n",
      "x = " + repeated("a.", 20000) + "b\n",
      "x = " + repeated("f(", 150) + repeated(")", 150) + "\n",
      repeated("if x:\n" + std::string(1, ' '), 60),
      repeated("x = 1\n", 20000),
      repeated("a", std::size_t{1} << 20),
      "\xEF\xBB\xBFimport torch\n",
      "x = '\\ud800'\n",
      "\xff\xfe not utf-8",
      "class Model:\n    def forward(self): return f'{1!r:>{2}}' if (y := 3) else lambda *a, **k: (yield)\n",
      "import os\nos.system('exit 1')\nraise SystemExit(3)\n",
  };
  for (const std::string& program : programs) {
    CAPTURE(program.substr(0, 40), program.size());
    const auto normalised = syntax.normalise(program, true, true);
    if (!normalised) CHECK_FALSE(normalised.error().message.empty());
    (void)syntax.outline(program);
    (void)syntax.tidied(program);
    const auto after = syntax.normalise(program_returning("x"));
    REQUIRE(after.has_value());
    CHECK(after->has_model);
  }
}

TEST_CASE("a syntax error names its line") {
  StartedSyntax syntax;
  const auto result = syntax.normalise("import torch\n\nx = = 1\n");
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().line == 3);
  CHECK(result.error().message.find("line 3: ") == 0);
}

TEST_CASE("an empty program is a program without a model") {
  StartedSyntax syntax;
  const auto result = syntax.normalise("");
  REQUIRE(result.has_value());
  CHECK_FALSE(result->has_model);
}

TEST_CASE("after a crash the request in progress fails and the next ones are answered") {
  const parityd::executor::test::TemporaryFolder folder;
  const std::filesystem::path script = folder.path() / "dying_syntax.py";
  std::ofstream(script)
      << "import sys, os\nsys.path.insert(0, " << '"' << PARITYD_SOURCE_DIR << "/executor/syntax" << '"'
      << ")\nimport syntax\nfirst = syntax.serve\n"
      << "def serve(line):\n    if b'die here' in line:\n        os._exit(7)\n    return first(line)\n"
      << "syntax.serve = serve\nsyntax.main()\n";
  StartedSyntax syntax(script);
  REQUIRE(syntax.normalise(program_returning("x")).has_value());
  int failed = 0;
  int answered = 0;
  const auto count = [&](const auto& answer) { answer ? ++answered : ++failed; };
  syntax.client().normalise(program_returning("x"), true, false, count);
  syntax.client().normalise("# die here\n", true, false, count);
  syntax.client().normalise(program_returning("x + 1"), true, false, count);
  syntax.client().wait();
  CHECK(failed == 1);
  CHECK(answered == 2);
}

TEST_CASE("a process that cannot start is an error and does not end the daemon") {
  StartedSyntax syntax("/nonexistent/syntax.py");
  const auto result = syntax.normalise("import torch\n");
  REQUIRE_FALSE(result.has_value());
  CHECK_FALSE(result.error().message.empty());
}

TEST_CASE("inside the launcher's sandbox the answers are the same") {
  const std::filesystem::path launcher = parityd::this_build::folder() / "bin/parityd-worker";
  if (!std::filesystem::exists(launcher)) PARITYD_SKIP("the launcher is not built");
  StartedSyntax bare;
  const parityd::executor::test::TemporaryFolder folder;
  StartedSyntax sandboxed(PARITYD_SOURCE_DIR "/executor/syntax/syntax.py", launcher, folder.path() / "syntax");
  const auto expected = bare.normalise("class Model(nn.Module):\n    pass\n");
  const auto answer = sandboxed.normalise("class Model(nn.Module):\n    pass\n");
  INFO((answer ? "" : answer.error().message));
  REQUIRE(answer.has_value());
  REQUIRE(expected.has_value());
  CHECK(answer->identity == expected->identity);
  CHECK(answer->text == expected->text);
}
