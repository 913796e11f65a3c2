#include "executor/process/process_record.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "executor/process/open_files.h"
#include "executor/process/process.h"
#include "executor/process/process_tree.h"
#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::executor;
namespace fs = std::filesystem;

namespace {

/// A folder of records that is not there yet.
struct RecordFolder : parityd::tests::TemporaryFolder {
  fs::path path = TemporaryFolder::path() / "records";
};

Process sleeper() { return Process({.command = {"sleep", "3600"}, .environment = {{"PATH", "/usr/bin:/bin"}}}); }

}  // namespace

TEST_CASE("a process that ends while its state is read counts as gone") {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  REQUIRE(child > 0);
  REQUIRE(ProcessStat::of(child).has_value());
  CHECK(ProcessStat::of(child)->number(4) == static_cast<std::uint64_t>(getpid()));
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  REQUIRE(stat.good());
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(ProcessStat::read(stat).has_value());
  CHECK_FALSE(ProcessStat::of(child).has_value());
}

TEST_CASE("a record exists as long as its handle, and a process ended in order leaves none") {
  const RecordFolder folder;
  const Process process = sleeper();
  {
    const ProcessRecord record(folder.path, process.pid());
    CHECK(fs::exists(folder.path / std::to_string(process.pid())));
  }
  CHECK(fs::is_empty(folder.path));
  CHECK(kill_leftovers(folder.path).empty());
  CHECK(start_stamp(process.pid()));
}

TEST_CASE("the process named by a record is killed") {
  const RecordFolder folder;
  Process process = sleeper();
  const ProcessRecord record(folder.path, process.pid());
  CHECK(kill_leftovers(folder.path) == std::vector<pid_t>{process.pid()});
  CHECK_FALSE(start_stamp(process.pid()));  // its remains count as gone
  CHECK_FALSE(fs::exists(folder.path));
}

TEST_CASE("the remaining members of process groups whose leaders ended are killed") {
  const RecordFolder folder;
  std::vector<std::unique_ptr<Process>> leaders;
  std::vector<std::unique_ptr<ProcessRecord>> records;
  for (int count = 0; count < 3; ++count) {
    leaders.push_back(std::make_unique<Process>(
        ProcessOptions{.command = {"sh", "-c", "sleep 3600 & read line"}, .environment = {{"PATH", "/usr/bin:/bin"}}}));
    records.push_back(std::make_unique<ProcessRecord>(folder.path, leaders.back()->pid()));
  }
  for (const auto& leader : leaders) {
    leader->close_input();
    while (start_stamp(leader->pid())) {
      usleep(1000);
    }
  }
  const auto killed = kill_leftovers(folder.path);
  CHECK(killed.size() == leaders.size());
  for (const pid_t pid : killed) {
    CHECK_FALSE(start_stamp(pid));
  }
}

TEST_CASE("a process that reuses a recorded number, or is of another boot, is spared") {
  const RecordFolder folder;
  Process process = sleeper();
  const ProcessRecord record(folder.path, process.pid());
  const fs::path file = folder.path / std::to_string(process.pid());
  pid_t pid = 0, session = 0;
  std::uint64_t start = 0;
  std::string boot;
  std::ifstream(file) >> pid >> session >> start >> boot;
  REQUIRE(pid == process.pid());
  REQUIRE_FALSE(boot.empty());
  for (const std::string& changed :
       {std::to_string(pid) + " " + std::to_string(session) + " " + std::to_string(start - 1) + " " + boot,
        std::to_string(pid) + " " + std::to_string(session) + " " + std::to_string(start) + " another",
        std::string("1 1 1 ") + boot, std::string("what nobody wrote")}) {
    fs::create_directories(folder.path);
    std::ofstream(file) << changed << "\n";
    INFO(parityd::tests::read_file(file));
    CHECK(kill_leftovers(folder.path).empty());
    CHECK(start_stamp(process.pid()) == start);
  }
}

TEST_CASE("a process works even if it cannot be recorded") {
  const Process process = sleeper();
  CHECK_NOTHROW(ProcessRecord("", process.pid()));
  CHECK_NOTHROW(ProcessRecord("/proc/nobody/can/write/here", process.pid()));
  CHECK(kill_leftovers("/proc/there/is/no/such/folder").empty());
}

TEST_CASE("open files of a process are counted") {
  const std::uint64_t before = open_files_left();
  const std::optional<Process> process(sleeper());
  CHECK(open_files_left() == before - kFilesOfProcess);
  CHECK(open_files_left() < open_files_limit());
}
