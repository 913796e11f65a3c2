// What a model asks to see, and what it gets.
#include "agent/fixing/shown_source.h"

#include <filesystem>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
using agent::SourceRequest;

namespace {

namespace fs = std::filesystem;

class Torch {
 public:
  Torch() {
    write("torch/_inductor/ir.py",
          "import x\n\n\nclass Reduction(Loops):\n    @staticmethod\n    def create(a,\n        b,\n    ):\n        "
          "text = '''\nnot a line\n'''\n        return a\n\n    def other(self):\n        pass\n");
    write(
        "torch/_functorch/partitioners.py",
        "def solve_min_cut(graph):\n    def get_node_weight(node):\n        return 1\n\n    return get_node_weight\n");
    write("torch/testing/common.py", "def get_node_weight():\n    pass\n");
    write("secret.py", "def key():\n    pass\n");
  }
  [[nodiscard]] std::string shown(const std::string& reply) const {
    return agent::shown_source(agent::source_requests(reply), folder_.path() / "torch");
  }
  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_.path() / path).parent_path());
    tests::write_file(folder_.path() / path, text);
  }
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }

 private:
  tests::TemporaryFolder folder_;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a request for source has one of four forms, and nothing else is one") {
  const auto requests = agent::source_requests(
      "I need these:\n\nSHOW torch/_inductor/ir.py:Reduction.create\n- SHOW `get_node_weight`\nSHOW "
      "torch/_inductor/ir.py:120-180\nSHOW torch/_inductor/ir.py:7\nFIND torch.full(\nSHOW me the code, please\n");
  REQUIRE(requests.size() == 5);
  CHECK(requests[0].file == "torch/_inductor/ir.py");
  CHECK(requests[0].name == "Reduction.create");
  CHECK(requests[1].name == "get_node_weight");
  CHECK(requests[1].file.empty());
  CHECK(requests[2].kind == SourceRequest::Kind::lines);
  CHECK(requests[2].first == 120);
  CHECK(requests[2].last == 180);
  CHECK(requests[3].last == 7);
  CHECK(requests[4].kind == SourceRequest::Kind::text);
  CHECK(requests[4].name == "torch.full(");
}

TEST_CASE("a reply with a change or with NO PATCH asks for nothing") {
  CHECK(agent::source_requests("SHOW cat\n\ntorch._inductor.lowering\n<<<<<<< SEARCH\na\n").empty());
  CHECK(agent::source_requests("SHOW cat\nNO PATCH: it is in C++\n").empty());
  CHECK(agent::source_requests("").empty());
}

TEST_CASE("a definition is shown whole, with its decorators, also one within a function") {
  const Torch torch;
  const auto create = torch.shown("SHOW torch/_inductor/ir.py:Reduction.create");
  CHECK(holds(create, "### torch/_inductor/ir.py:Reduction.create, lines 5 to 12"));
  CHECK(holds(create, "    @staticmethod\n    def create(a,"));
  CHECK(holds(create, "        return a\n"));
  CHECK_FALSE(holds(create, "def other"));
  const auto weight = torch.shown("SHOW get_node_weight");
  CHECK(holds(weight, "### torch/_functorch/partitioners.py:solve_min_cut.get_node_weight, lines 2 to 3"));
  CHECK_FALSE(holds(weight, "torch/testing"));
}

TEST_CASE("lines and texts are found") {
  const Torch torch;
  CHECK(holds(torch.shown("SHOW torch/_inductor/ir.py:4-5"), "class Reduction(Loops):\n    @staticmethod\n```"));
  CHECK(holds(torch.shown("FIND return a"), "torch/_inductor/ir.py:12 in Reduction.create:         return a"));
}

TEST_CASE("only torch's Python files are read, whatever is asked for") {
  const Torch torch;
  torch.write("elsewhere.txt", "password\n");
  fs::create_symlink(torch.path() / "secret.py", torch.path() / "torch" / "linked.py");
  for (const char* reply : {"SHOW torch/../secret.py:key", "SHOW ../secret.py:1-1", "SHOW secret.py:key", "SHOW key",
                            "SHOW torch/linked.py:1-2", "SHOW /etc/passwd.py:1-2", "FIND password", "FIND def key",
                            "SHOW torch/_inductor/ir.py:9000-9001", "SHOW torch/_inductor/ir.py:9-2"}) {
    CAPTURE(reply);
    CHECK(holds(torch.shown(reply), "There is none in torch's Python files."));
  }
}

TEST_CASE("long definitions, many lines and long messages are cut, and say so") {
  const Torch torch;
  std::string body = "def long():\n";
  for (std::size_t line = 0; line < agent::kMostLines + 100; ++line)
    body += "    x = 1  # " + std::string(90, 'x') + "\n";
  for (const char* file : {"torch/a.py", "torch/b.py", "torch/c.py"}) torch.write(file, body);
  const auto one = torch.shown("SHOW torch/a.py:long");
  CHECK(holds(one, "# … lines 301 to 401 are not shown"));
  const auto all = torch.shown("SHOW torch/a.py:long\nSHOW torch/b.py:long\nSHOW torch/c.py:1-300");
  CHECK(all.size() < agent::kLongestShown + 1000);
  CHECK(holds(all, "### SHOW torch/b.py:long\n\nToo long"));
  CHECK(holds(torch.shown("FIND x = 1"), "and 1170 more lines"));
}
