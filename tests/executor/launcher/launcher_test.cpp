// What a launched process is given, and what it may not do.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "executor/build_command.h"
#include "executor/process/process_tree.h"
#include "tests/catch.h"
#include "tests/executor/launcher/launched.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using nlohmann::json;
namespace fs = std::filesystem;

TEST_CASE("launcher: the environment is only what parityd sets") {
  Launched launched({}, {{"API_KEY", "secret"},
                         {"PYTHONPATH", "/evil"},
                         {"CUDA_VISIBLE_DEVICES", "3"},
                         {"HOME", "/root"},
                         {"LD_LIBRARY_PATH", "/opt/lib"},
                         {"TORCH_LOGS", "all"},
                         {"XDG_CACHE_HOME", "/cache"}});
  const json environment = launched.ask("dict(os.environ)");
  std::set<std::string> names;
  for (const auto& [name, value] : environment.items()) {
    names.insert(name);
  }
  CHECK(names == std::set<std::string>{"PATH",
                                       "HOME",
                                       "TMPDIR",
                                       "USER",
                                       "LC_ALL",
                                       "TZ",
                                       "PYTHONHASHSEED",
                                       "PYTHONNOUSERSITE",
                                       "PYTHONSAFEPATH",
                                       "OMP_NUM_THREADS",
                                       "OMP_WAIT_POLICY",
                                       "TORCHINDUCTOR_COMPILE_THREADS",
                                       "TORCH_WARM_POOL",
                                       "TORCHINDUCTOR_CACHE_DIR",
                                       "TRITON_CACHE_DIR",
                                       "TORCHINDUCTOR_FX_GRAPH_CACHE",
                                       "TORCHINDUCTOR_AUTOGRAD_CACHE",
                                       "CUDA_DEVICE_ORDER",
                                       "PYTORCH_NVML_BASED_CUDA_CHECK",
                                       "CUDA_VISIBLE_DEVICES",
                                       "LD_LIBRARY_PATH",
                                       "PARITYD_IN",
                                       "PARITYD_OUT",
                                       "PARITYD_MODULE",
                                       "PARITYD_CACHE",
                                       "PARITYD_SANDBOX"});
  CHECK(environment.at("HOME") == (launched.scratch() / "home").string());
  CHECK(environment.at("CUDA_VISIBLE_DEVICES") == "3");
}

TEST_CASE("launcher: packages of an overlay are visible here and in each Python started from here, and are read-only") {
  Launched launched({}, {}, {.overlay = "mended"});
  const json seen = launched.ask(
      "[__import__('overlaid').said, subprocess.run([sys.executable, '-B', '-c', 'import overlaid; "
      "print(overlaid.said)'], capture_output=True, text=True).stdout, "
      "attempt(lambda: open(__import__('overlaid').__file__, 'a'))]");
  CHECK(seen == json{"mended", "mended\n", "denied"});
}

TEST_CASE("launcher: standard descriptors, limits, session and privileges are set") {
  Launched launched;
  const json seen = launched.ask(
      R"([sorted(int(n) for n in os.listdir("/proc/self/fd"))[:-1], os.readlink("/proc/self/fd/0"), os.getsid(0) == os.getpid(),)"
      R"( resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY,)"
      R"( resource.getrlimit(resource.RLIMIT_FSIZE)[1], [l.split()[1] for l in open("/proc/self/status") if "NoNewPrivs" in l],)"
      R"( os.getcwd(), sys.flags.hash_randomization, sys.flags.no_user_site, os.getpriority(os.PRIO_PROCESS, 0),)"
      R"( [open(p).read().split()[-1] for p in ["/proc/self/autogroup"] if os.path.exists(p)]])");
  CHECK(seen[0] == json{0, 1, 2, 3, 4});
  CHECK(seen[1] == "/dev/null");
  CHECK(seen[2] == true);
  CHECK(seen[3] == json{0, 0});
  CHECK(seen[4] == true);
  CHECK(seen[5].get<std::int64_t>() <= (std::int64_t{512} << 20));
  CHECK(seen[6] == json{"1"});
  CHECK(seen[7] == launched.scratch().string());
  CHECK(seen[8] == 0);
  CHECK(seen[9] == 1);
  const int nice = std::min(getpriority(PRIO_PROCESS, 0) + 5, 19);
  CHECK(seen[10] == nice);  // the daemon goes first
  if (fs::exists("/proc/self/autogroup")) {
    CHECK(seen[11] == json{std::to_string(nice)});  // of sessions, too
  }
}

TEST_CASE("launcher: there is no network") {
  Launched launched;
  const json seen = launched.ask(
      "[dict(os.environ), sorted(line.split(':')[0].strip() for line in list(open('/proc/net/dev'))[2:]), "
      "socket.socketpair()[0].family == socket.AF_UNIX]");
  CHECK(seen[2] == true);
  if (!has_layer(seen[0], "network")) {
    PARITYD_SKIP("this machine grants no network namespace");
  }
  CHECK(seen[1] == json{"lo"});
}

TEST_CASE("launcher: a pid namespace has an init that is not Python") {
  Launched launched;
  const json seen =
      launched.ask("[dict(os.environ), os.getpid(), os.getppid(), [n for n in os.listdir('/proc') if n.isdigit()]]");
  if (!has_layer(seen[0], "pid")) {
    PARITYD_SKIP("this machine grants no pid namespace");
  }
  CHECK(seen[1] == 2);
  CHECK(seen[2] == 1);
  CHECK(seen[3] == json{"1", "2"});
}

TEST_CASE("launcher: an unprivileged user gets namespaces through a user namespace") {
  if (getuid() != 0 || find_program("setpriv").empty()) {
    PARITYD_SKIP("needs root, to become somebody else");
  }
  Launched launched({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"});
  const json seen = launched.ask("[dict(os.environ), os.getuid(), resource.getrlimit(resource.RLIMIT_NPROC)[0]]");
  CHECK(seen[1] == 65534);
  CHECK(seen[2].get<std::int64_t>() > 0);
  CHECK((has_layer(seen[0], "user") || !has_layer(seen[0], "pid")));
}

TEST_CASE("launcher: output is captured, a flood is cut and its end is kept") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  launched.send(
      "print('first words', flush=True)\nfor _ in range(1000): os.write(2, b'x' * 65536)\nos.write(1, b'last "
      "words')\ntell('done')");
  CHECK(launched.told() == "done");
  CHECK(launched.end().status == 0);
  const std::string errors = launched.process().captured_errors();
  CHECK(errors.starts_with("first words\n"));
  CHECK(errors.find("bytes of output dropped") != std::string::npos);
  CHECK(errors.ends_with("last words"));
}

TEST_CASE("launcher: an unread flood of output does not stall the program") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  launched.send("for _ in range(1000): os.write(1, b'x' * 65536)\nos._exit(5)");
  int how = 0;  // without servicing the process: its pipes fill up
  REQUIRE(waitpid(launched.process().pid(), &how, 0) == launched.process().pid());
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 5);
}

TEST_CASE("launcher: all workers of a build share one precompiled header that none can replace") {
  for (const char* without : {"", "mount"}) {
    CAPTURE(without);
    Launched launched({}, {}, {without, "precompiled header"});
    const json seen = launched.ask(R"([dict(os.environ), *header_seen(os.path.join(os.environ["TMPDIR"],)"
                                   R"( "torchinductor_" + os.environ["USER"], "precompiled_headers"))])");
    CHECK(seen[1] == "precompiled header");
    CHECK(seen[2] == "another header");  // one with other flags may be made
    if (has_layer(seen[0], "mount") || has_layer(seen[0], "landlock")) {
      CHECK(seen[3] == "denied");
      CHECK(seen[6] == "denied");
    }
    if (has_layer(seen[0], "mount")) {
      CHECK(seen[4] == "denied");
    }
    CHECK(seen[5] == "precompiled header");
  }
}

TEST_CASE("launcher: wrong usage is reported") {
  struct Row {
    std::vector<std::string> arguments;
    const char* words;
  };
  TemporaryFolder folder;
  write_file(folder.path() / "main.py", "");
  const std::string here = folder.path().string();
  const std::vector<Row> rows{
      {{}, "--python is missing"},
      {{"--python"}, "--python needs a value"},
      {{"--pyhton", "p"}, "unknown argument --pyhton"},
      {{"--python", "p", "--scratch", here}, "--module is missing"},
      {{"--sandbox", "most"}, "--sandbox accepts auto, full, reduced and none, not most"},
      {{"--without", "luck"}, "there is no layer luck"},
      {{"--python", "p", "--scratch", here, "--syntax", "/nowhere.py"}, "there is no /nowhere.py"}};
  for (const auto& row : rows) {
    std::vector<std::string> command{launcher().string()};
    command.insert(command.end(), row.arguments.begin(), row.arguments.end());
    std::string said;
    CHECK(run_command(command, {}, [&](const std::string& line) { said += line + "\n"; }) == 2);
    INFO(said);
    CHECK(said.find(row.words) != std::string::npos);
    CHECK(said.find("usage:") != std::string::npos);
  }
  std::string said;
  CHECK(run_command(
            {launcher().string(), "--python", "/nowhere/python", "--scratch", here, "--syntax", here + "/main.py"}, {},
            [&](const std::string& line) { said += line; }) == 127);
  CHECK(said.find("cannot start /nowhere/python: No such file or directory") != std::string::npos);
}
