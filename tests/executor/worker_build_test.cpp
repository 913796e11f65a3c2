#include "executor/worker_build.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "executor/build_command.h"
#include "tests/catch.h"
#include "tests/executor/support.h"
#include "tests/text.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
namespace fs = std::filesystem;

namespace {

/// A source tree whose "module" needs no torch, and an interpreter that claims to have one.
class FakeBuild {
 public:
  FakeBuild() {
    fs::create_directories(places.sources);
    fs::create_directories(places.oracle);
    for (const char* neighbour : {"confine", "shared"}) {
      fs::create_directories(places.sources.parent_path() / neighbour);
    }
    write_file(places.oracle / "fact.cpp", "int fact() { return 1; }\n");
    write_cmake(
        "file(WRITE ${CMAKE_BINARY_DIR}/parityd_worker.fake.so ${PARITYD_ORACLE_DIR})\nadd_custom_target(all_of_it "
        "ALL)\n");
    fs::create_directories(folder.path() / "site" / "torch");
    write_file(folder.path() / "site" / "torch" / "__init__.py", "");
    write_version("9.9.9+fake");
    fs::create_directories(folder.path() / "bin");
    // Headers are needed by a real module only, and not every Python here has them.
    write_script(python(), "exec '" + plain_python().string() + "' -c \"import sys, sysconfig; sys.path.insert(0, '" +
                               (folder.path() / "site").string() + "'); sysconfig.get_path = lambda *_: '" +
                               folder.path().string() + "'; exec(sys.argv[1])\" \"$3\"\n");
    write_file(folder.path() / "Python.h", "");
  }

  [[nodiscard]] fs::path python() const { return folder.path() / "bin" / "python"; }
  void write_cmake(const std::string& text) const {
    write_file(places.sources / "CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(fake LANGUAGES NONE)\n" + text);
  }
  void write_version(const std::string& version) const {
    write_file(folder.path() / "site" / "torch" / "version.py", "__version__ = '" + version + "'\ncuda = '13.0'\n");
  }
  static void write_script(const fs::path& file, const std::string& text) {
    write_file(file, "#!/bin/sh\n" + text);
    fs::permissions(file, fs::perms::owner_all);
  }
  tl::expected<BuiltWorker, std::string> build() {
    return build_worker(places, python(), [this](const std::string& line) { progress.push_back(line); });
  }
  [[nodiscard]] std::string failure() {
    const auto built = build();
    REQUIRE_FALSE(built.has_value());
    INFO(built.error());
    CHECK(built_workers(places).empty());
    return built.error();
  }

  TemporaryFolder folder;
  WorkerBuildPlaces places{.sources = folder.path() / "worker",
                           .oracle = folder.path() / "tree" / "oracle",
                           .cache = folder.path() / "cache"};
  std::vector<std::string> progress;
};

/// PATH for the length of a test.
class Path {
 public:
  explicit Path(const std::string& path) {
    if (const char* before = std::getenv("PATH")) before_ = before;
    setenv("PATH", path.c_str(), 1);
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;
  ~Path() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

using parityd::tests::contains;

}  // namespace

TEST_CASE("a worker is built once, found again, and rebuilt when its sources or torch change") {
  FakeBuild fake;
  const auto built = fake.build();
  INFO((built ? std::string() : built.error()));
  REQUIRE(built.has_value());
  CHECK(built->torch == "9.9.9+fake");
  CHECK(built->cuda);
  CHECK(built->current);
  CHECK(built->python == fake.python());
  CHECK(built->folder.filename().string().starts_with("9.9.9+fake-3."));
  CHECK(read_file(built->folder / "parityd_worker.fake.so") == (fake.folder.path() / "tree").string());
  CHECK_FALSE(fake.progress.empty());

  fake.progress.clear();
  REQUIRE(fake.build().has_value());
  CHECK(fake.progress.empty());
  REQUIRE(find_worker(fake.places, {}).has_value());
  CHECK(find_worker(fake.places, fake.python())->folder == built->folder);
  CHECK_FALSE(find_worker(fake.places, "/another/python").has_value());

  write_file(fake.places.oracle / "fact.cpp", "int fact() { return 2; }\n");
  CHECK_FALSE(find_worker(fake.places, fake.python()).has_value());
  REQUIRE(built_workers(fake.places).size() == 1);
  CHECK_FALSE(built_workers(fake.places).front().current);
  const auto again = fake.build();
  REQUIRE(again.has_value());
  CHECK(again->folder != built->folder);
  CHECK(built_workers(fake.places).size() == 2);

  fake.write_version("10.0.0");
  CHECK_FALSE(find_worker(fake.places, fake.python()).has_value());
  const auto upgraded = fake.build();
  REQUIRE(upgraded.has_value());
  CHECK(upgraded->torch == "10.0.0");
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(fake.places.cache)) {
    folders += entry.is_directory() ? 1U : 0U;
  }
  CHECK(folders == 3);  // nothing half-built is left
}

TEST_CASE("Python files beside the module do not cause a build") {
  FakeBuild fake;
  const std::string before = worker_source_hash(fake.places);
  write_file(fake.places.sources / "main.py", "print()\n");
  CHECK(worker_source_hash(fake.places) == before);
  write_file(fake.places.sources / "module.cpp", "int x;\n");
  const std::string after = worker_source_hash(fake.places);
  CHECK(after != before);
  write_file(fake.places.sources.parent_path() / "shared" / "modes.json", "[]\n");  // which C++ is made from
  CHECK(worker_source_hash(fake.places) != after);
}

TEST_CASE("the reason why a worker was not built is reported") {
  FakeBuild fake;
  SECTION("no interpreter") {
    fs::remove(fake.python());
    CHECK(contains(fake.failure(), "there is no " + fake.python().string()));
  }
  SECTION("no Python") {
    FakeBuild::write_script(fake.python(), "echo broken >&2; exit 3\n");
    const std::string error = fake.failure();
    CHECK(contains(error, "status 3"));
    CHECK(contains(error, "broken"));
  }
  SECTION("no torch") {
    fs::remove_all(fake.folder.path() / "site" / "torch");
    const auto built = fake.build();
    REQUIRE_FALSE(built.has_value());
    CHECK(contains(built.error(), "-m pip install torch"));
  }
  SECTION("no headers") {
    fs::remove(fake.folder.path() / "Python.h");
    CHECK(contains(fake.failure(), "Python.h is not in"));
  }
  SECTION("no tools") {
    const Path path((fake.folder.path() / "bin").string());
    FakeBuild::write_script(fake.folder.path() / "bin" / "g++", "exit 0\n");
    const std::string error = fake.failure();
    CHECK(contains(error, "apt-get install cmake ninja-build"));
    CHECK_FALSE(contains(error, "g++"));
  }
  SECTION("it does not configure") {
    fake.write_cmake("message(FATAL_ERROR \"torch has no such file\")\n");
    const std::string error = fake.failure();
    CHECK(contains(error, "configuring"));
    CHECK(contains(error, "torch has no such file"));
    const std::string log = error.substr(error.find("the full log is ") + 16);
    CHECK(contains(read_file(log), "torch has no such file"));
  }
  SECTION("it does not compile") {
    fake.write_cmake("add_custom_target(broken ALL COMMAND sh -c \"echo module.cpp:3: error; exit 1\" VERBATIM)\n");
    const std::string error = fake.failure();
    CHECK(contains(error, "compiling"));
    CHECK(contains(error, "module.cpp:3: error"));
  }
  SECTION("it leaves no module") {
    fake.write_cmake("add_custom_target(nothing ALL)\n");
    CHECK(contains(fake.failure(), "no parityd_worker*.so"));
  }
}

TEST_CASE("an unfinished build folder is ignored and does no harm") {
  FakeBuild fake;
  const auto built = fake.build();
  REQUIRE(built.has_value());
  fs::remove(built->folder / "worker.json");
  CHECK(built_workers(fake.places).empty());
  REQUIRE(fake.build().has_value());
  write_file(built->folder / "worker.json", "{\"torch\": 3}");
  CHECK(built_workers(fake.places).empty());
}

TEST_CASE("without a cache folder there are no workers") {
  FakeBuild fake;
  CHECK(built_workers(fake.places).empty());
  CHECK_FALSE(find_worker(fake.places, {}).has_value());
}
