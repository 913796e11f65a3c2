// What doctor learns from `parityd-worker --probe`, with launchers that say what a test wants.
#include <sys/stat.h>

#include <fstream>

#include "agent/cli/running/sandbox_probe.h"
#include "tests/catch.h"
#include "tests/store/fixture.h"
#include "tests/text.h"

using namespace parityd;
using namespace parityd::tests;
using State = agent::SandboxLine::State;

namespace {

constexpr const char* kReport =
    R"({"level": "full", "setup_milliseconds": 3.25, "layers": [{"name": "user", "on": true, "why": ""},)"
    R"( {"name": "cgroup", "on": false, "why": "cannot be written"}]})";

/// A launcher that is this shell script.
std::filesystem::path a_launcher(const Folder& folder, const std::string& script) {
  auto file = folder.path() / "launcher";
  std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
  chmod(file.c_str(), 0700);
  return file;
}

agent::SandboxProbe probe(const std::string& script) {
  const Folder folder;
  return agent::probe_sandbox(a_launcher(folder, script), "auto");
}

agent::SandboxProbe granted(const std::string& level, const std::string& failure = "") {
  return {.sandbox = executor::Sandbox{.level = level,
                                       .layers = {{.name = "user", .on = true, .why = ""},
                                                  {.name = "mount", .on = false, .why = "EPERM"}},
                                       .setup_milliseconds = 3.25},
          .failure = failure};
}

}  // namespace

TEST_CASE("a probe reads the launcher's report at the requested sandbox level") {
  const auto result = probe(std::string("[ \"$*\" = '--sandbox auto --probe' ] || exit 9\necho '") + kReport + "'");
  REQUIRE(result.sandbox);
  CHECK(result.failure.empty());
  CHECK(result.sandbox->level == "full");
  CHECK(result.sandbox->setup_milliseconds == 3.25);
  REQUIRE(result.sandbox->layers.size() == 2);
  CHECK(result.sandbox->layers[0].on);
  CHECK(result.sandbox->layers[1].name == "cgroup");
  CHECK(result.sandbox->layers[1].why == "cannot be written");
}

TEST_CASE("a failed probe gives the launcher's reason") {
  CHECK(probe("echo first >&2; echo 'no such option' >&2; exit 2").failure == "no such option");
  CHECK(probe("exit 3").failure == "ended with exit code 3");
  CHECK(probe("kill -9 $$").failure == "ended by signal 9");
  CHECK(probe("exit 0").failure == "gave no answer");
  CHECK(probe("echo hello").failure == "answered hello");
  CHECK(probe("echo '{\"level\": \"full\"}'").failure == "answered {\"level\": \"full\"}");
  CHECK(contains(agent::probe_sandbox("/nonexistent/launcher", "auto").failure, "/nonexistent/launcher"));
  const auto refused = probe(std::string("echo '") + kReport + "'; echo 'less than asked' >&2; exit 3");
  CHECK(refused.sandbox);  // its layers can still be shown
  CHECK(refused.failure == "less than asked");
}

TEST_CASE("a launcher that does not exit is given up") {
  const Folder folder;
  const auto result = agent::probe_sandbox(a_launcher(folder, "exec sleep 60"), "auto", std::chrono::milliseconds(50));
  CHECK_FALSE(result.sandbox);
  CHECK(contains(result.failure, "did not end"));
}

TEST_CASE("a probe does not pass on the environment") {
  setenv("MY_API_KEY", "secret", 1);
  CHECK(probe("[ -z \"$MY_API_KEY\" ] && [ -n \"$PATH\" ] && exit 4; exit 5").failure == "ended with exit code 4");
}

TEST_CASE("doctor lists every sandbox layer after the verdict") {
  const auto lines = agent::sandbox_lines(granted("full"), "auto");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].state == State::good);
  CHECK(lines[0].text == "full, set up in 3.2 ms");
  CHECK(lines[1].state == State::on);
  CHECK(lines[1].what == "user");
  CHECK(lines[2].state == State::off);
  CHECK(lines[2].text == "EPERM");
}

TEST_CASE("a weaker sandbox than configured is a failure with advice") {
  const auto verdict = [](const agent::SandboxProbe& result, const std::string& wanted) {
    return agent::sandbox_lines(result, wanted).front();
  };
  CHECK(verdict(granted("reduced"), "auto").state == State::good);
  CHECK(verdict(granted("reduced"), "reduced").state == State::good);
  CHECK(verdict(granted("none"), "none").state == State::good);
  const auto full = verdict(granted("reduced"), "full");
  CHECK(full.state == State::bad);
  CHECK(contains(full.text, "sandbox = \"auto\""));
  const auto none = verdict(granted("none"), "auto");
  CHECK(none.state == State::bad);
  CHECK(contains(none.text, "docs/sandbox.md"));
  CHECK(contains(none.text, "sandbox = \"none\""));
  const auto refused = verdict(granted("reduced", "reduced is asked for: seccomp (EPERM)"), "reduced");
  CHECK(refused.state == State::bad);
  CHECK(contains(refused.text, "seccomp (EPERM)"));
  const auto silent = agent::sandbox_lines({.sandbox = {}, .failure = "no such option"}, "none");
  REQUIRE(silent.size() == 1);
  CHECK(silent[0].state == State::bad);
  CHECK(contains(silent[0].text, "no such option"));
}
