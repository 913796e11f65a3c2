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
#include "executor/process.h"
#include "executor/process_tree.h"
#include "tests/catch.h"
#include "tests/executor/support.h"

using namespace parityd::executor;
using namespace parityd::executor::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Says what it sees as a line of JSON, then runs what it is sent as Python.
constexpr const char* kProgram = R"python(
import json, os, resource, signal, socket, subprocess, sys, time
read, write = int(os.environ["PARITYD_IN"]), int(os.environ["PARITYD_OUT"])
def tell(value):
    os.write(write, json.dumps(value).encode() + b"\n")
def sent():
    text = b""
    while not text.endswith(b"#end\n"):
        more = os.read(read, 1 << 16)
        if not more:
            raise SystemExit(0)
        text += more
    return text.decode()
def attempt(action):
    try:
        action()
        return "done"
    except OSError:
        return "denied"
def header_seen(folder):
    flat = open(os.path.join(folder, "ef.h.gch")).read(), attempt(lambda: open(os.path.join(folder, "ef.h.gch"), "w"))
    primed, other = os.path.join(folder, "ab", "cd.h.gch"), os.path.join(folder, "xy", "cd.h.gch")
    os.makedirs(os.path.dirname(other))
    open(other, "w").write("another header")
    return [open(primed).read(), open(other).read(), attempt(lambda: open(primed, "w")),
            attempt(lambda: os.rename(os.path.join(folder, "ab"), os.path.join(folder, "gone"))), *flat]
tell("ready")
exec(sent())
)python";

class Launched {
 public:
  struct Setting {
    std::string without;  // a layer
    std::string header;   // what the shared cache holds as Inductor's precompiled header
    std::string overlay;  // what a module `overlaid` says that lies in a folder of its own
  };
  explicit Launched(std::vector<std::string> prefix = {}, std::map<std::string, std::string> extra = {},
                    const Setting& setting = {}) {
    if (!setting.header.empty()) {
      const fs::path folder = folder_.path() / "cache" / "inductor" / "precompiled_headers" / "ab";
      fs::create_directories(folder);
      write_file(folder / "cd.h.gch", setting.header);
      write_file(folder.parent_path() / "ef.h.gch", setting.header);  // torch 2.13 keeps all in one folder
    }
    write_file(folder_.path() / "main.py", kProgram);
    fs::permissions(folder_.path(), fs::perms::all);
    const fs::path copy = folder_.path() / "parityd-worker";  // where an unprivileged user can reach it
    fs::copy_file(launcher(), copy);
    ProcessOptions options{.command = std::move(prefix), .environment = std::move(extra)};
    options.environment.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
    for (const fs::path& word :
         {copy, fs::path("--python"), plain_python(), fs::path("--module"), folder_.path(), fs::path("--sources"),
          folder_.path(), fs::path("--scratch"), scratch(), fs::path("--cache"), folder_.path() / "cache"}) {
      options.command.push_back(word.string());
    }
    if (!setting.overlay.empty()) {
      const fs::path packages = folder_.path() / "packages";
      fs::create_directories(packages);
      write_file(packages / "overlaid.py", "said = '" + setting.overlay + "'\n");
      options.command.insert(options.command.end(), {"--overlay", packages.string()});
    }
    if (!setting.without.empty()) {
      options.command.insert(options.command.end(), {"--without", setting.without});
    }
    process_ = std::make_unique<Process>(options);
  }

  Process& process() { return *process_; }
  void close() { process_.reset(); }
  [[nodiscard]] fs::path scratch() const { return folder_.path() / "scratch"; }

  void send(const std::string& python) { process_->write(python + "\n#end\n"); }

  /// The next thing it tells; null when it ends without a word.
  json told() {
    std::optional<std::string> line;
    REQUIRE(service_until(*process_, [&] { return (line = process_->take_line()) || process_->output_closed(); }));
    return line ? json::parse(*line) : json();
  }
  json ask(const std::string& expression) {
    if (told() != "ready") {
      FAIL("it did not start: " << process_->captured_errors());
    }
    send("tell(" + expression + ")");
    return told();
  }
  ExitState end() {
    REQUIRE(service_until(*process_, [&] { return process_->exit_state().has_value() && process_->output_closed(); }));
    process_->service();
    return *process_->exit_state();
  }
  /// Leaves a grandchild in a session of its own behind; returns words by which it can be found.
  std::string leave_grandchild() {
    std::string mark = (scratch() / "grandchild").string();
    REQUIRE(told() == "ready");
    send(
        "subprocess.run([sys.executable, '-c', 'import os, sys, time; os.fork() and os._exit(0); os.setsid(); "
        "open(sys.argv[1], "
        "\"w\"); time.sleep(600)', '" +
        mark + "'])\nwhile not os.path.exists('" + mark +
        "'): time.sleep(0.01)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntell('left')\nwhile True: time.sleep(1)");
    REQUIRE(told() == "left");
    REQUIRE(any_process_with(mark));
    return mark;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<Process> process_;
};

bool has_layer(const json& environment, const std::string& layer) {
  const json report = json::parse(environment.at("PARITYD_SANDBOX").get<std::string>());
  for (const auto& known : report.at("layers")) {
    if (known.at("name") == layer) {
      CHECK(known.at("on") == known.at("why").get<std::string>().empty());
      return known.at("on");
    }
  }
  return false;
}

/// A user namespace in which no further namespace may be made: what a locked-down machine looks like.
std::vector<std::string> without_namespaces() {
  constexpr const char* kForbid = R"(for kind in pid net ipc mnt user; do
      echo 0 > /proc/sys/user/max_${kind}_namespaces || exit 77
    done
    exec "$@")";
  return {"unshare", "-Ur", "sh", "-c", kForbid, "sh"};
}

bool can_forbid_namespaces() {
  auto command = without_namespaces();
  command.emplace_back("true");
  return !find_program("unshare").empty() && run_command(command, {}, [](const std::string&) {}) == 0;
}

}  // namespace

TEST_CASE("launcher: the environment is ours alone") {
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

TEST_CASE("launcher: an overlay's packages are found here and in each Python started from here, and are read-only") {
  Launched launched({}, {}, {.overlay = "mended"});
  const json seen = launched.ask(
      "[__import__('overlaid').said, subprocess.run([sys.executable, '-B', '-c', 'import overlaid; "
      "print(overlaid.said)'], capture_output=True, text=True).stdout, "
      "attempt(lambda: open(__import__('overlaid').__file__, 'a'))]");
  CHECK(seen == json{"mended", "mended\n", "denied"});
}

TEST_CASE("launcher: standard descriptors, limits, session and privileges") {
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

TEST_CASE("launcher: no network") {
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

TEST_CASE("launcher: a pid namespace with an init that is not Python") {
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

TEST_CASE("launcher: an unprivileged user gets namespaces through one of his own") {
  if (getuid() != 0 || find_program("setpriv").empty()) {
    PARITYD_SKIP("needs root, to become somebody else");
  }
  Launched launched({"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"});
  const json seen = launched.ask("[dict(os.environ), os.getuid(), resource.getrlimit(resource.RLIMIT_NPROC)[0]]");
  CHECK(seen[1] == 65534);
  CHECK(seen[2].get<std::int64_t>() > 0);
  CHECK((has_layer(seen[0], "user") || !has_layer(seen[0], "pid")));
}

TEST_CASE("launcher: it ends as Python does") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  SECTION("with a status") {
    launched.send("sys.exit(7)");
    CHECK(launched.end().status == 7);
  }
  SECTION("by a signal") {
    launched.send("os.kill(os.getpid(), signal.SIGSEGV)");
    CHECK(launched.end().signal == SIGSEGV);
  }
  SECTION("by a signal that cannot be caught") {
    launched.send("os.kill(os.getpid(), signal.SIGKILL)");
    CHECK(launched.end().signal == SIGKILL);
  }
  SECTION("by an abort, without a core") {
    launched.send("os.abort()");
    CHECK(launched.end().signal == SIGABRT);
    for (const auto& entry : fs::directory_iterator(launched.scratch())) {
      CHECK_FALSE(entry.path().filename().string().starts_with("core"));
    }
  }
}

TEST_CASE("launcher: as a container's first process, which no signal ends, it tells of the signal") {
  const std::vector<std::string> first{"unshare", "--fork", "--pid", "--mount-proc"};
  if (std::system("unshare --fork --pid --mount-proc true 2>/dev/null") != 0) {
    WARN("SKIPPED: no namespaces for this user");
    return;
  }
  Launched launched(first);
  REQUIRE(launched.told() == "ready");
  launched.send("os.kill(os.getpid(), signal.SIGSEGV)");
  CHECK(launched.end().status == 128 + SIGSEGV);
}

TEST_CASE("launcher: the tree dies when the channel closes, grandchildren included") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  launched.process().close_input();
  CHECK(launched.end().signal == SIGKILL);
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: the tree dies with the launcher") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  launched.close();
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: asked to end, it takes the tree along") {
  Launched launched;
  const std::string mark = launched.leave_grandchild();
  kill(launched.process().pid(), SIGTERM);
  CHECK(launched.end().signal == SIGKILL);
  CHECK_FALSE(survivor_with(mark));
}

TEST_CASE("launcher: without any namespace the tree dies all the same") {
  if (!can_forbid_namespaces()) {
    PARITYD_SKIP("namespaces cannot be forbidden here");
  }
  Launched launched(without_namespaces());
  SECTION("and says which layers are left") {
    const json environment = launched.ask("dict(os.environ)");
    for (const char* gone : {"user", "mount", "pid", "network", "ipc", "identity"}) {
      CHECK_FALSE(has_layer(environment, gone));
    }
    for (const char* left : {"no_new_privs", "session", "rlimits", "capabilities"}) {
      CHECK(has_layer(environment, left));
    }
    if (has_layer(environment, "landlock") && has_layer(environment, "seccomp")) {
      CHECK(json::parse(environment.at("PARITYD_SANDBOX").get<std::string>()).at("level") == "reduced");
    }
  }
  SECTION("when the channel closes") {
    const std::string mark = launched.leave_grandchild();
    launched.process().close_input();
    CHECK(launched.end().signal == SIGKILL);
    CHECK_FALSE(survivor_with(mark));
  }
  SECTION("when it is killed") {
    const std::string mark = launched.leave_grandchild();
    launched.close();
    CHECK_FALSE(survivor_with(mark));
  }
  SECTION("when Python ends") {
    const std::string mark = launched.leave_grandchild();
    kill(descendants(launched.process().pid()).at(0), SIGSEGV);
    CHECK(launched.end().signal == SIGSEGV);
    CHECK_FALSE(survivor_with(mark));
  }
}

TEST_CASE("launcher: Python may end by itself when its channel closes") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  launched.process().close_input();
  CHECK(launched.end().signal == 0);
}

TEST_CASE("launcher: output is captured, a flood is cut and its last words are kept") {
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

TEST_CASE("launcher: a flood nobody reads does not stall the program") {
  Launched launched;
  REQUIRE(launched.told() == "ready");
  launched.send("for _ in range(1000): os.write(1, b'x' * 65536)\nos._exit(5)");
  int how = 0;  // without servicing the process: its pipes fill up
  REQUIRE(waitpid(launched.process().pid(), &how, 0) == launched.process().pid());
  CHECK(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 5);
}

TEST_CASE("launcher: one precompiled header for all workers of a build, which none can replace") {
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

TEST_CASE("launcher: misuse is said") {
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
      {{"--sandbox", "most"}, "--sandbox knows auto, full, reduced and none, not most"},
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
