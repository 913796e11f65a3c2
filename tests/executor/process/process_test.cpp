#include "executor/process/process.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "executor/process/process_tree.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;

namespace {

Process shell(const std::string& script) {
  return Process({.command = {"sh", "-c", script}, .environment = {{"PATH", "/usr/bin:/bin"}, {"WORD", "given"}}});
}

ExitState end_of(Process& process) {
  REQUIRE(service_until(process, [&] { return process.exit_state().has_value() && process.output_closed(); }));
  return *process.exit_state();
}

}  // namespace

TEST_CASE("lines come back one at a time") {
  Process cat = shell("cat");
  cat.write("one\ntwo\nthr");
  cat.write("ee");
  std::vector<std::string> lines;
  const auto take = [&] {
    while (auto line = cat.take_line()) {
      lines.push_back(*line);
    }
    return lines.size() >= 2 && cat.inside_line();
  };
  REQUIRE(service_until(cat, take));
  CHECK(lines == std::vector<std::string>{"one", "two"});
  cat.write("\n");
  cat.close_input();
  CHECK(end_of(cat).status == 0);
  CHECK(cat.take_line() == "three");
  CHECK_FALSE(cat.take_line().has_value());
  CHECK_FALSE(cat.inside_line());
}

TEST_CASE("more data than a pipe buffer passes in both directions") {
  const std::string line = std::string(3'000'000, 'x') + "\n";
  Process cat = shell("cat");
  cat.write(line);
  cat.write(line);
  cat.close_input();
  int lines = 0;
  REQUIRE(service_until(cat, [&] {
    while (const auto taken = cat.take_line()) {
      CHECK(taken->size() == line.size() - 1);
      ++lines;
    }
    return lines == 2;
  }));
  CHECK(end_of(cat).status == 0);
}

TEST_CASE("a line over the cap ends the stream and frees its memory") {
  Process talker = shell("head -c 20000000 /dev/zero | tr '\\0' x; sleep 100");
  REQUIRE(service_until(talker, [&] {
    CHECK_FALSE(talker.take_line().has_value());
    return talker.overflowed();
  }));
  CHECK_FALSE(talker.inside_line());
}

TEST_CASE("the way in which a process ends is reported") {
  Process leaves = shell("exit 7");
  CHECK(end_of(leaves).status == 7);
  Process dies = shell("kill -SEGV $$");
  CHECK(end_of(dies).signal == SIGSEGV);
  Process killed = shell("sleep 100");
  killed.kill_tree();
  CHECK(end_of(killed).signal == SIGKILL);
}

TEST_CASE("a missing command is an error at once") {
  CHECK_THROWS_AS(Process({.command = {"/nowhere/command"}, .environment = {}}), std::system_error);
}

TEST_CASE("a process has the given environment, its own group and default signals") {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  Process process = shell("env | grep -c . ; echo $WORD; grep SigIgn /proc/self/status");
  std::signal(SIGPIPE, before);
  CHECK(getpgid(process.pid()) == process.pid());
  std::vector<std::string> lines;
  end_of(process);
  while (const auto line = process.take_line()) {
    lines.push_back(*line);
  }
  REQUIRE(lines.size() >= 3);
  CHECK(std::stoi(lines[0]) <= 4);  // PATH, WORD and what a shell adds
  CHECK(lines[1] == "given");
  const auto ignored = std::stoull(lines[2].substr(lines[2].find('\t') + 1), nullptr, 16);
  CHECK((ignored & 0x7fffffff) == 0);  // above are the C library's own two
}

TEST_CASE("a process inherits no descriptor but the three standard ones") {
  Process other = shell("cat");
  Process process = shell("ls /proc/self/fd");
  std::string descriptors;
  end_of(process);
  while (const auto line = process.take_line()) {
    descriptors += *line + " ";
  }
  CHECK(descriptors == "0 1 2 3 ");  // 3 is ls reading the folder
}

TEST_CASE("writing to a process that ended does not kill the writer") {
  Process process = shell("exit 0");
  end_of(process);
  process.write(std::string(1 << 20, 'x'));
  process.poll();
  CHECK(process.exit_state()->status == 0);
}

TEST_CASE("standard error of a process is kept in part and can be cleared") {
  Process process = shell("echo first >&2; head -c 1000000 /dev/zero | tr '\\0' x >&2; echo last >&2");
  end_of(process);
  REQUIRE(service_until(process, [&] { return process.captured_errors().ends_with("last\n"); }));
  CHECK(process.captured_errors().starts_with("first\n"));
  CHECK(process.captured_errors().size() < (std::size_t{66} << 10));
  process.forget_errors();
  CHECK(process.captured_errors().empty());
}

TEST_CASE("captured text keeps its head and tail and counts what was dropped") {
  CapturedText text(10);
  text.append("ab");
  CHECK(text.text() == "ab");
  text.append("cdefgh");
  CHECK(text.text() == "abcdefgh");
  for (int index = 0; index < 1000; ++index) {
    text.append("0123456789");
  }
  CHECK(text.text() == "abcde\n[9998 bytes left out]\n56789");
}

TEST_CASE("a process that ended is not alive, one of whose threads only the first ended is") {
  const pid_t zombie = fork();
  if (zombie == 0) _exit(0);
  const pid_t threaded = fork();
  if (threaded == 0) {
    std::thread(pause).detach();
    syscall(SYS_exit, 0);  // of this thread alone
  }
  const auto has = [](const std::vector<pid_t>& processes, pid_t pid) {
    return std::ranges::count(processes, pid) > 0;
  };
  const auto is_zombie = [](pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find(") Z ") != std::string::npos;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  while (!(is_zombie(zombie) && is_zombie(threaded)) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(has(descendants(getpid()), zombie));
  CHECK_FALSE(has(living_descendants(getpid()), zombie));
  CHECK(has(living_descendants(getpid()), threaded));
  kill(threaded, SIGKILL);
  CHECK(waitpid(threaded, nullptr, 0) == threaded);
  CHECK(waitpid(zombie, nullptr, 0) == zombie);
}

TEST_CASE("a process tree is killed including members that left the group") {
  TemporaryFolder folder;
  const std::string mark = (folder.path() / "mark").string();
  Process process = shell("setsid sh -c 'sleep 301; : " + mark + "' & echo started; wait");
  REQUIRE(service_until(process, [&] { return process.take_line() == "started"; }));
  REQUIRE(service_until(process, [&] { return descendants(process.pid()).size() >= 2; }));
  process.kill_tree();
  CHECK(end_of(process).signal == SIGKILL);
  CHECK_FALSE(survivor_with(mark));
}
