// A daemon that was killed leaves its scratch: the next one starts at once and removes it beside its work.
#include "agent/cli/scratch_folder.h"

#include <chrono>
#include <set>
#include <thread>

#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd;
using executor::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

void leave(const fs::path& file) {
  fs::create_directories(file.parent_path());
  executor::test::write_file(file, "left");
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

bool gone_within(std::chrono::seconds time, const fs::path& folder) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (fs::exists(folder)) {
    if (std::chrono::steady_clock::now() > until) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

TEST_CASE("scratch: leftovers of a killed daemon are moved away at once and removed in the background") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "scratch";
  leave(folder / "workers" / "cpu" / "worker-0" / "cache" / "kernel.so");
  leave(folder / "rounds" / "examination-7" / "input");
  leave(folder / "0");
  leave(folder / "left" / "0" / "kernel.so");  // killed before its own was removed
  leave(folder / "left" / "2");
  {
    const agent::ScratchFolder scratch(folder);
    std::set<std::string> names = names_in(folder);
    names.erase("left");
    CHECK(names.empty());
    leave(scratch.path() / "workers" / "cpu" / "mine");
    CHECK(gone_within(std::chrono::seconds(60), folder / "left"));
    CHECK(fs::exists(scratch.path() / "workers" / "cpu" / "mine"));
  }
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("scratch: a missing folder is created and removed with its contents") {
  const TemporaryFolder temporary;
  const fs::path folder = temporary.path() / "state" / "scratch";
  {
    const agent::ScratchFolder scratch(folder);
    CHECK(names_in(folder).empty());
    leave(scratch.path() / "rounds" / "input");
  }
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("scratch: a file in place of the folder is named") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "scratch";
  leave(file);
  std::string problem;
  try {
    const agent::ScratchFolder scratch(file);
  } catch (const fs::filesystem_error& error) {
    problem = error.what();
  }
  CHECK(problem.find(file.string()) != std::string::npos);
}
