// A made-up installation: what differs from its record, and what a trial changed.
#include "agent/fixing/torch_record.h"

#include <sys/stat.h>

#include "agent/fixing/sha256.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

class Installed {
 public:
  Installed() {
    write("torch/__init__.py", "abc");
    write("torch/_inductor/lowering.py", "");
    write("torch/_inductor/__pycache__/lowering.cpython-311.pyc", "x");
    write("torch/lib/libtorch.so", "x");
    write("torchgen/__init__.py", "other");
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((site() / file).parent_path());
    tests::write_file(site() / file, text);
  }
  /// Of the two files, as pip writes it.
  void record() const {
    write("torch-9.9.dist-info/RECORD",
          "../../../bin/torchrun,sha256=aaaa,200\n"
          "torch/__init__.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n"
          "torch/_inductor/lowering.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
          "torch/_inductor/__pycache__/lowering.cpython-311.pyc,,\n"
          "torch/lib/libtorch.so,sha256=aaaa,1\n"
          "torch-9.9.dist-info/RECORD,,\n");
  }
  [[nodiscard]] fs::path site() const { return place_.path() / "site-packages"; }
  [[nodiscard]] agent::TorchRecord taken() const { return agent::TorchRecord(site() / "torch"); }

 private:
  tests::TemporaryFolder place_;
};

}  // namespace

TEST_CASE("an installation that is as its record says has nothing modified") {
  const Installed installed;
  installed.record();
  const auto record = installed.taken();
  CHECK(record.modified().empty());
  CHECK(record.changed().empty());
}

TEST_CASE("files that differ from the record of the installation are named, and are not changes of a trial") {
  const Installed installed;
  installed.record();
  installed.write("torch/__init__.py", "abcd");
  installed.write("torch/_inductor/fresh.py", "");
  fs::remove(installed.site() / "torch/_inductor/lowering.py");
  const auto record = installed.taken();
  CHECK(record.modified() == Names{"torch/__init__.py", "torch/_inductor/fresh.py", "torch/_inductor/lowering.py"});
  CHECK(record.changed().empty());
}

TEST_CASE("without a record only changes of the trial are known") {
  const Installed installed;
  installed.write("torchvision-9.9.dist-info/RECORD", "torch/__init__.py,sha256=aaaa,3\n");
  CHECK(installed.taken().modified().empty());
}

TEST_CASE("a file that is changed, added, removed or replaced during a trial is named", "[attacks]") {
  const Installed installed;
  installed.write("torch/_inductor/ir.py", "a");
  installed.write("torch/_inductor/scheduler.py", "a");
  const auto record = installed.taken();
  installed.write("torch/__init__.py", "abd");  // as long as before
  installed.write("torch/_inductor/fresh.py", "");
  fs::remove(installed.site() / "torch/_inductor/ir.py");
  fs::remove(installed.site() / "torch/_inductor/scheduler.py");
  REQUIRE(mkfifo((installed.site() / "torch/_inductor/scheduler.py").c_str(), 0600) == 0);
  installed.write("torch/_inductor/__pycache__/lowering.cpython-311.pyc", "y");  // the interpreter's own
  CHECK(record.changed() == Names{"torch/__init__.py", "torch/_inductor/fresh.py", "torch/_inductor/ir.py",
                                  "torch/_inductor/scheduler.py"});
}

TEST_CASE("a record that is no record names every file rather than none", "[attacks]") {
  const Installed installed;
  installed.write("torch-9.9.dist-info/RECORD", "torch/__init__.py,sha256=!,3\ntorch/\n\n,,,\n");
  CHECK(installed.taken().modified() == Names{"torch/__init__.py", "torch/_inductor/lowering.py"});
}

TEST_CASE("of many files some are named") {
  CHECK(agent::some_files({}).empty());
  CHECK(agent::some_files({"a", "b"}) == "a, b");
  CHECK(agent::some_files({"a", "b", "c"}, 1) == "a and 2 more");
}
