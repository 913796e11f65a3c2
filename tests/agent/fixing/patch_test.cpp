// Edits applied to a small torch: the changed files, the overlay, the diff; and what is refused.
#include "agent/fixing/patch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "agent/fixing/overlay.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
namespace fs = std::filesystem;

namespace {

const std::string kLowering = R"(import torch
from os import path


@register_lowering(aten.cat)
def cat(inputs, dim=0):
    if len(inputs) == 1:
        return clone(inputs[0])
    return concat(inputs, dim)


class Pointwise(Loops):
    def make_loader(self):
        return self.inner_fn

    def other(self):
        return self.inner_fn
)";

class Torch {
 public:
  Torch() {
    write("__init__.py", "import os\n");
    write("_inductor/__init__.py", "x = 1\n");
    write("_inductor/lowering.py", kLowering);
    write("_inductor/config.py", "debug = False\n");
    write("_inductor/crlf.py", "def f():\r\n    a = 1\r\n    return a\r\n");
    write("_inductor/unended.py", "a = 1\nb = 2");
    write("_dynamo/utils.py", "import os\n\n\ndef same(a, b):\n    return a == b\n\n\ndef clone(a):\n    return a\n");
    write("nn/functional.py", "x = 1\n");
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((folder() / file).parent_path());
    std::ofstream(folder() / file, std::ios::binary) << text;
  }
  [[nodiscard]] fs::path folder() const { return place_.path() / "site-packages" / "torch"; }
  [[nodiscard]] fs::path outside() const { return place_.path() / "outside"; }
  [[nodiscard]] fs::path overlay() const { return place_.path() / "overlay"; }
  [[nodiscard]] auto patched(std::vector<agent::Edit> edits) const {
    return agent::make_patch({.edits = std::move(edits), .test = "pass\n", .why = "because"}, folder());
  }
  [[nodiscard]] std::string after(const std::string& module, const std::string& search,
                                  const std::string& replace) const {
    const auto patch = patched({{module, search, replace}});
    return patch ? patch->files.at(0).after : "refused: " + patch.error();
  }

 private:
  tests::TemporaryFolder place_;
};

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool has(const std::string& text, const std::string& words) {
  CAPTURE(text);
  CHECK(text.find(words) != std::string::npos);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("edits become changed files, a diff and the functions that they touch") {
  const Torch torch;
  const auto patch =
      torch.patched({{"torch._inductor.lowering", "    def other(self):\n        return self.inner_fn\n",
                      "    def other(self):\n        return self.outer_fn\n"},
                     {"torch._inductor.lowering", "    if len(inputs) == 1:\n", "    if len(inputs) < 2:\n"},
                     {"torch._inductor", "x = 1\n", "x = 2\ny = 3\n"}});
  REQUIRE(patch);
  REQUIRE(patch->files.size() == 2);
  CHECK(patch->files[0].path == "torch/_inductor/__init__.py");
  CHECK(patch->files[1].before == kLowering);
  CHECK(patch->changed_lines == 7);
  CHECK(patch->functions == std::vector<std::string>{"torch/_inductor/__init__.py:<module>",
                                                     "torch/_inductor/lowering.py:cat",
                                                     "torch/_inductor/lowering.py:Pointwise.other"});
  CHECK(has(patch->diff,
            "--- a/torch/_inductor/__init__.py\n+++ b/torch/_inductor/__init__.py\n@@ -1,1 +1,2 @@\n-x = 1\n+x "
            "= 2\n+y = 3\n--- a/torch/_inductor/lowering.py\n"));
  CHECK(has(patch->diff, "\n-    if len(inputs) == 1:\n+    if len(inputs) < 2:\n"));
}

TEST_CASE("the overlay of a patch is one that verify reads, and the installed files stay") {
  const Torch torch;
  const auto patch =
      torch.patched({{"torch._inductor.lowering", "    return concat(inputs, dim)\n", "    return 1\n"}});
  REQUIRE(patch);
  agent::write_overlay(*patch, torch.overlay());
  const auto overlay = agent::read_overlay(torch.overlay(), torch.folder());
  REQUIRE(overlay);
  CHECK(overlay->changed == std::vector<fs::path>{"torch/_inductor/lowering.py"});
  CHECK(overlay->added.empty());
  CHECK(read(torch.overlay() / "torch/_inductor/lowering.py") == patch->files[0].after);
  CHECK(read(torch.folder() / "_inductor/lowering.py") == kLowering);
}

TEST_CASE("line ends stay as they are in the file") {
  const Torch torch;
  CHECK(torch.after("torch._inductor.crlf", "    a = 1\n", "    a = 2\n    b = 3\n") ==
        "def f():\r\n    a = 2\r\n    b = 3\r\n    return a\r\n");
  CHECK(torch.after("torch._inductor.unended", "b = 2\n", "b = 3\nc = 4\n") == "a = 1\nb = 3\nc = 4");
  CHECK(torch.after("torch._inductor.unended", "a = 1\n", "") == "b = 2");
  CHECK(torch.after("torch._inductor.unended", "b = 2\n", "") == "a = 1\n");
}

TEST_CASE("a text that is not found exactly once is refused, with the lines where it may be meant") {
  const Torch torch;
  const auto error = [&](const std::string& search) { return torch.after("torch._inductor.lowering", search, "x\n"); };
  CHECK(has(error("        return self.inner_fn\n"), "found 2 times, at lines 14, 17"));
  CHECK(has(error("if len(inputs) == 1:\n"), "found 0 times; at line 7 the text differs only in white space"));
  CHECK(has(error("    if len(inputs) == 1:\n        return 7\n"), "found 0 times; its first line is line 7"));
  CHECK(has(error("nothing\n"), "nor is its first line"));
  CHECK(has(error("\n\n\n\n"), "found 0 times"));
  CHECK(has(error("return concat\n"), "found 0 times"));
}

TEST_CASE("every edit is found in the installed file, and all that is wrong is said at once") {
  const Torch torch;
  const auto twice = torch.patched({{"torch._inductor.lowering", "    if len(inputs) == 1:\n", "    if x:\n"},
                                    {"torch._inductor.lowering", "    if x:\n", "    if y:\n"},
                                    {"torch._inductor.nowhere", "a\n", "b\n"}});
  REQUIRE_FALSE(twice);
  CHECK(has(twice.error(), "edit 2: torch._inductor.lowering: SEARCH is found 0 times"));
  CHECK(has(twice.error(), "\nedit 3: torch._inductor.nowhere: there is no such module"));
  const auto overlap = torch.patched({{"torch._inductor.crlf", "def f():\n    a = 1\n", "x\n"},
                                      {"torch._inductor.crlf", "    a = 1\n    return a\n", "y\n"}});
  REQUIRE_FALSE(overlap);
  CHECK(has(overlap.error(), "edit 2: torch._inductor.crlf: SEARCH overlaps that of edit 1"));
}

TEST_CASE("edits that undo each other change nothing") {
  const Torch torch;
  torch.write("_inductor/twins.py", "a\nb\na\n");
  const auto patch =
      torch.patched({{"torch._inductor.twins", "a\nb\n", "a\n"}, {"torch._inductor.unended", "a = 1\n", "a = 1\n"}});
  REQUIRE(patch);
  CHECK(patch->files.size() == 1);
  CHECK(has(torch.after("torch._inductor.unended", "a = 1\n", "a = 1\n"), "change nothing"));
}

TEST_CASE("what judges, settings, eager and the machine are refused", "[attacks]") {
  const Torch torch;
  CHECK(has(torch.after("torch._inductor.config", "debug = False\n", "debug = True\n"), "settings"));
  CHECK(has(torch.after("torch.nn.functional", "x = 1\n", "x = 2\n"), "not a part of the compiler"));
  CHECK(has(torch.after("torch", "import os\n", "import sys\n"), "not a part of the compiler"));
  CHECK(has(torch.after("torch._dynamo.utils", "    return a == b\n", "    return True\n"), "utils.py:same"));
  CHECK(has(torch.after("torch._dynamo.utils", "def clone(a):\n    return a\n",
                        "def clone(a):\n    return a\n\n\ndef same(a, b):\n    return True\n"),
            "utils.py:same"));
  CHECK(has(torch.after("torch._inductor.lowering", "    if len(inputs) == 1:\n", "    os.kill(1, 9)\n"),
            "brings in os"));
  CHECK(
      torch.after("torch._inductor.lowering", "from os import path\n", "from os import path as p\n").find("refused") !=
      0);
}

TEST_CASE("links, folders, pipes and names outside of torch are no modules", "[attacks]") {
  const Torch torch;
  fs::create_directories(torch.outside());
  std::ofstream(torch.outside() / "evil.py") << "a = 1\n";
  fs::create_symlink(torch.outside() / "evil.py", torch.folder() / "_inductor/linked.py");
  fs::create_directory_symlink(torch.outside(), torch.folder() / "_inductor/folder");
  fs::create_directories(torch.folder() / "_inductor/empty");
  fs::create_directories(torch.folder() / "_inductor/odd.py");
  REQUIRE(mkfifo((torch.folder() / "_inductor/pipe.py").c_str(), 0600) == 0);
  const auto error = [&](const std::string& module) { return torch.after(module, "a = 1\n", "a = 2\n"); };
  CHECK(has(error("torch._inductor.linked"), "is a symbolic link"));
  CHECK(has(error("torch._inductor.folder.evil"), "through a symbolic link"));
  for (const char* module : {"torch._inductor.empty", "torch._inductor.odd", "torch._inductor.pipe",
                             "torch._inductor.no.more", "torch._inductor.lowering.more"}) {
    CHECK(has(error(module), "no such module"));
  }
  for (const char* module : {"torch...outside.evil", "torch./etc/passwd", "torch.../x", "torchx", "torch.", "os", "",
                             "torch._inductor/lowering", "../torch", "torch..os", "torch._inductor..lowering",
                             "/torch/_inductor/lowering.py", ".torch._inductor", "torch._inductor.lowering ",
                             "torch._inductor.__pycache__.lowering"}) {
    CAPTURE(module);
    CHECK(has(error(module), "refused: edit 1: "));
  }
  CHECK(read(torch.outside() / "evil.py") == "a = 1\n");
}

TEST_CASE("files that are too large or not text are refused, before and after the change", "[attacks]") {
  const Torch torch;
  torch.write("_inductor/latin.py", "a = '\xe4'\nb\n");
  torch.write("_inductor/zero.py", std::string("a\0\nb\n", 5));
  torch.write("_inductor/large.py", std::string(agent::kLargestFile, '\n') + "b\n");
  torch.write("_inductor/nearly.py", std::string(agent::kLargestFile - 10, '\n') + "b\n");
  CHECK(has(torch.after("torch._inductor.latin", "b\n", "c\n"), "not UTF-8"));
  CHECK(has(torch.after("torch._inductor.zero", "b\n", "c\n"), "not UTF-8"));
  CHECK(has(torch.after("torch._inductor.large", "b\n", "c\n"), "more than"));
  CHECK(has(torch.after("torch._inductor.nearly", "b\n", std::string(100, 'c') + "\n"), "would have"));
  std::vector<agent::Edit> edits;
  for (int n = 0; n < 5; ++n) {
    const std::string name = "m" + std::to_string(n);
    torch.write("_inductor/" + name + ".py", "a\n" + std::string(agent::kLargestFile - 10, 'x') + "\n");
    edits.push_back({"torch._inductor." + name, "a\n", "b\n"});
  }
  const auto patch = torch.patched(edits);
  REQUIRE_FALSE(patch);
  CHECK(has(patch.error(), "all changed files"));
}

TEST_CASE("a change of thousands of functions and decorators takes no longer than its size", "[attacks]") {
  const Torch torch;
  std::string functions, decorators;
  for (int n = 0; n < 40'000; ++n) functions += fmt::format("def f{}(): pass\n", n);
  for (int n = 0; n < 50'000; ++n) decorators += "@a\n";
  const auto patch =
      torch.patched({{"torch._inductor.unended", "a = 1\n", functions + decorators + "def f(): pass\n"}});
  REQUIRE(patch);
  CHECK(patch->functions.size() == 40'002);
}

TEST_CASE("the functions that differ between two versions of a file are named once each") {
  std::string after = kLowering;
  after.replace(after.find("return clone(inputs[0])"), 23, "return inputs[0]");
  after.replace(after.rfind("return self.inner_fn"), 20, "return None");
  CHECK(agent::changed_functions({.path = "torch/_inductor/lowering.py", .before = kLowering, .after = after}) ==
        std::vector<std::string>{"torch/_inductor/lowering.py:cat", "torch/_inductor/lowering.py:Pointwise.other"});
  CHECK(agent::changed_functions({.path = "torch/_inductor/lowering.py", .before = kLowering, .after = kLowering})
            .empty());
}
