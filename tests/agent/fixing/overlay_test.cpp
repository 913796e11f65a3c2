// Changed Python files of torch in front of the installed ones: what is taken, and the tree made of it.
#include "agent/fixing/overlay.h"

#include <fstream>
#include <iterator>
#include <map>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

class Scene {
 public:
  Scene() {
    for (const char* file :
         {"torch/__init__.py", "torch/lib/libtorch.so", "torch/_inductor/__init__.py", "torch/_inductor/lowering.py",
          "torch/_inductor/ir.py", "torch/_inductor/fx/pass.py", "torch/_inductor/__pycache__/lowering.cpython-311.pyc",
          "torch/_inductor/__pycache__/ir.cpython-311.pyc", "other/__init__.py"}) {
      write(site() / file, std::string("installed ") + file);
    }
  }
  void overlay(const std::string& file) const { write(folder() / file, "changed " + file); }
  [[nodiscard]] fs::path site() const { return place_.path() / "site-packages"; }
  [[nodiscard]] fs::path torch() const { return site() / "torch"; }
  [[nodiscard]] fs::path folder() const { return place_.path() / "overlay"; }
  [[nodiscard]] fs::path tree() const { return place_.path() / "tree"; }
  [[nodiscard]] auto taken() const { return agent::read_overlay(folder(), torch()); }

 private:
  tests::TemporaryFolder place_;
};

}  // namespace

TEST_CASE("changed and new Python files of torch are copied, compiled ones are skipped") {
  const Scene scene;
  scene.overlay("torch/_inductor/lowering.py");
  scene.overlay("torch/_inductor/__pycache__/lowering.cpython-311.pyc");
  scene.overlay("torch/_inductor/helper.py");
  scene.overlay("torch/_inductor/fresh/__init__.py");
  const auto taken = scene.taken().value();
  CHECK(taken.changed == std::vector<fs::path>{"torch/_inductor/lowering.py"});
  CHECK(taken.added == std::vector<fs::path>{"torch/_inductor/fresh/__init__.py", "torch/_inductor/helper.py"});
}

TEST_CASE("a file that is not a Python file of torch is refused by name") {
  for (const char* file : {"lowering.py", "_inductor/lowering.py", "other/__init__.py", "torch/lib/libtorch.so",
                           "torch/README.md", "torch/_inducter/lowering.py"}) {
    CAPTURE(file);
    const Scene scene;
    scene.overlay("torch/_inductor/lowering.py");
    scene.overlay(file);
    const auto taken = scene.taken();
    REQUIRE_FALSE(taken);
    CHECK(taken.error().find(file) != std::string::npos);
  }
  const Scene scene;
  CHECK(scene.taken().error().find("no such folder") != std::string::npos);
  fs::create_directories(scene.folder() / "torch");
  CHECK(scene.taken().error().find("contains no Python file") != std::string::npos);
}

TEST_CASE("the overlay contains the changed files and links to the rest, the installation is unchanged") {
  const Scene scene;
  scene.overlay("torch/_inductor/lowering.py");
  scene.overlay("torch/_inductor/fresh/__init__.py");
  agent::make_overlay_tree(scene.taken().value(), scene.torch(), scene.tree());
  const auto seen = [&](const char* file) { return parityd::tests::read_file(scene.tree() / file); };
  CHECK(seen("torch/_inductor/lowering.py") == "changed torch/_inductor/lowering.py");
  CHECK(seen("torch/_inductor/fresh/__init__.py") == "changed torch/_inductor/fresh/__init__.py");
  for (const char* file : {"torch/__init__.py", "torch/lib/libtorch.so", "torch/_inductor/ir.py",
                           "torch/_inductor/fx/pass.py", "torch/_inductor/__pycache__/ir.cpython-311.pyc"}) {
    CAPTURE(file);
    CHECK(seen(file) == std::string("installed ") + file);
  }
  CHECK_FALSE(fs::exists(scene.tree() / "torch/_inductor/__pycache__/lowering.cpython-311.pyc"));
  CHECK_FALSE(fs::exists(scene.tree() / "other"));
  CHECK_FALSE(fs::is_symlink(scene.tree() / "torch/_inductor"));
  CHECK(fs::is_symlink(scene.tree() / "torch/lib"));
  CHECK(parityd::tests::read_file(scene.torch() / "_inductor/lowering.py") == "installed torch/_inductor/lowering.py");
  CHECK_FALSE(fs::exists(scene.torch() / "_inductor/fresh"));
}
