#include "tests/bench/bare_lane.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "executor/launcher/environment.h"

namespace parityd::bench {

namespace fs = std::filesystem;
namespace {

/// The launcher's folders, and Inductor's precompiled header where Inductor looks for it: without a sandbox a link
/// does.
void make_folders(const launcher::Arguments& place, const std::string& user) {
  for (const char* folder : {"home", "tmp", "inductor", "triton"}) {
    fs::create_directories(place.scratch / folder);
  }
  const fs::path link = place.scratch / "tmp" / ("torchinductor_" + user);
  if (!fs::exists(fs::symlink_status(link))) {
    fs::create_directory_symlink(place.cache / "inductor", link);
  }
}

}  // namespace

executor::ProcessOptions plain_python(const executor::GroupConfig& config, const fs::path& scratch,
                                      const std::vector<std::string>& arguments) {
  const launcher::Arguments place{.python = config.python,
                                  .scratch = scratch,
                                  .module = config.module,
                                  .sources = config.worker_sources,
                                  .cache = config.shared_cache};
  executor::ProcessOptions options;
  options.command = {config.python.string()};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  for (const std::string& entry : launcher::make_environment(place)) {
    options.environment.emplace(entry.substr(0, entry.find('=')), entry.substr(entry.find('=') + 1));
  }
  make_folders(place, options.environment.at("USER"));
  options.directory = scratch;
  return options;
}

BareLane::BareLane(const executor::GroupConfig& config, fs::path scratch) : Lane(config, std::move(scratch)) {
  start_loop();
}

void BareLane::start_loop() {
  const fs::path script = fs::path(PARITYD_SOURCE_DIR) / "tests" / "bench" / "bare_loop.py";
  start(plain_python(config(), scratch(),
                     {script.string(), config().worker_sources.string(), std::string(name(config().device))}),
        config().deadlines.start);
}

void BareLane::give(const Program& program) {
  const fs::path file = scratch() / fmt::format("p{}.py", number_++);
  std::ofstream(file, std::ios::binary) << program.text;
  begin(program, config().deadlines.program * 2 + config().deadlines.compile);
  process().write(file.string() + "\n");
}

void BareLane::hear(const std::string& line) {
  const auto message = nlohmann::json::parse(line);  // our own script wrote it
  if (message.contains("ready")) {
    ready_ = true;
    wait_for_work();
  } else if (program()) {
    finish(message.at("trouble").get<std::string>(), message.at("parts").get<std::map<std::string, double>>());
  }
}

void BareLane::ended(executor::ExitState how, const std::string& words) {
  if (!ready_) {
    return break_down(fmt::format("the bare loop did not start, it {}:\n{}", described(how), words));
  }
  if (program()) {
    finish(described(how), {});
  }
  ready_ = false;
  start_loop();
}

}  // namespace parityd::bench
