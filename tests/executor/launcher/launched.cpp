#include "tests/executor/launcher/launched.h"

#include "executor/build_command.h"
#include "tests/catch.h"

namespace parityd::executor::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

}  // namespace

Launched::Launched(std::vector<std::string> prefix, std::map<std::string, std::string> extra, const Setting& setting) {
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

json Launched::told() {
  std::optional<std::string> line;
  REQUIRE(service_until(*process_, [&] { return (line = process_->take_line()) || process_->output_closed(); }));
  return line ? json::parse(*line) : json();
}

json Launched::ask(const std::string& expression) {
  if (told() != "ready") {
    FAIL("it did not start: " << process_->captured_errors());
  }
  send("tell(" + expression + ")");
  return told();
}

ExitState Launched::end() {
  REQUIRE(service_until(*process_, [&] { return process_->exit_state().has_value() && process_->output_closed(); }));
  process_->poll();
  return *process_->exit_state();
}

std::string Launched::leave_grandchild() {
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

}  // namespace parityd::executor::test
