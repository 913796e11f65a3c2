#include "tests/attacks/attack.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "tests/catch.h"

namespace parityd::attacks {

namespace fs = std::filesystem;
namespace test = executor::test;
using nlohmann::json;

Attack::Attack(const std::string& program, const json& given, std::vector<std::string> options,
               std::vector<std::string> prefix, std::map<std::string, std::string> environment) {
  const fs::path programs = fs::path(PARITYD_SOURCE_DIR) / "tests" / "attacks" / "programs";
  const fs::path script = folder_.path() / "attack.py";
  test::write_file(script, "GIVEN = __import__('json').loads(r'''" + given.dump() + "''')\n" +
                               test::read_file(programs / "prelude.py") +
                               test::read_file(programs / (program + ".py")));
  fs::permissions(folder_.path(), fs::perms::all);
  executor::ProcessOptions start{.command = std::move(prefix), .environment = std::move(environment)};
  start.environment.try_emplace("PATH", "/usr/local/bin:/usr/bin:/bin");
  for (const fs::path& word : {test::launcher(), fs::path("--python"), test::plain_python(), fs::path("--scratch"),
                               scratch(), fs::path("--syntax"), script}) {
    start.command.push_back(word.string());
  }
  std::ranges::move(options, std::back_inserter(start.command));
  process_ = std::make_unique<executor::Process>(start);
  wait_for("sandbox");
}

void Attack::take_lines() {
  while (const auto line = process_->take_line()) {
    told_.push_back(json::parse(*line));
  }
}

Told Attack::finish() {
  REQUIRE(test::service_until(*process_, [&] {
    take_lines();
    return process_->exit_state().has_value() && process_->output_closed();
  }));
  take_lines();
  process_->poll();
  output_ = process_->captured_errors();
  INFO(output_);
  CHECK(process_->exit_state()->status == 0);
  return *this;
}

void Attack::wait_for(const std::string& name) {
  REQUIRE(test::service_until(*process_, [&] {
    take_lines();
    return !outcome(name).empty() || process_->output_closed();
  }));
  INFO(process_->captured_errors());
  REQUIRE_FALSE(outcome(name).empty());
}

executor::ExitState Attack::end() {
  process_->close_input();
  REQUIRE(test::service_until(*process_, [&] { return process_->exit_state().has_value(); }));
  return *process_->exit_state();
}

std::string Told::outcome(const std::string& name) const {
  const auto found = std::ranges::find_if(told_, [&](const json& it) { return it.at("name") == name; });
  return found == told_.end() ? "" : found->at("outcome").get<std::string>();
}

std::string Told::detail(const std::string& name) const {
  const auto found = std::ranges::find_if(told_, [&](const json& it) { return it.at("name") == name; });
  return found == told_.end() ? "" : found->at("detail").get<std::string>();
}

std::vector<std::string> Told::attempts() const {
  std::vector<std::string> names;
  for (const auto& it : told_) {
    if (it.at("name") != "sandbox" && it.at("name") != "done") {
      names.push_back(it.at("name"));
    }
  }
  return names;
}

std::string Told::passed() const {
  std::string all;
  for (const auto& name : attempts()) {
    all += outcome(name) == "passed" ? name + ": " + detail(name) + "\n" : "";
  }
  return all;
}

bool Told::has_layer(const std::string& name) const {
  const json report = json::parse(detail("sandbox"));
  return std::ranges::any_of(report.at("layers"),
                             [&](const json& it) { return it.at("name") == name && it.at("on").get<bool>(); });
}

std::string Told::level() const { return json::parse(detail("sandbox")).at("level"); }

Outside::Outside() {
  fs::permissions(folder_.path(), fs::perms::all);
  test::write_file(secret(), "secret");
  fs::permissions(secret(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read |
                                fs::perms::others_read | fs::perms::others_write);
  fs::create_symlink(secret(), folder_.path() / "link");
}

bool Outside::untouched() const {
  constexpr auto kExpected = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read |
                             fs::perms::others_read | fs::perms::others_write;
  return test::read_file(secret()) == "secret" && fs::status(secret()).permissions() == kExpected &&
         std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()) == 2;
}

Victim::Victim() : pid_(fork()) {
  if (pid_ == 0) {
    setsid();
    for (;;) {
      pause();
    }
  }
}

Victim::~Victim() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Victim::alive() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

bool Victim::dies() const {
  const auto end = executor::Clock::now() + std::chrono::seconds(100);
  while (alive() && executor::Clock::now() < end) {
    poll(nullptr, 0, 5);
  }
  return !alive();
}

std::vector<std::string> only(const std::vector<std::string>& layers) {
  constexpr std::array kAll{"identity", "user",   "mount",    "pid",     "network", "ipc",
                            "uts",      "cgroup", "landlock", "seccomp", "rlimits", "hidden"};
  std::vector<std::string> options;
  for (const char* layer : kAll) {
    if (std::ranges::find(layers, layer) == layers.end()) {
      options.insert(options.end(), {"--without", layer});
    }
  }
  return options;
}

}  // namespace parityd::attacks
