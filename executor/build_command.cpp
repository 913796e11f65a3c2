#include "executor/build_command.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "executor/process/process.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kReap{20};
constexpr std::chrono::milliseconds kForEver{-1};

ProcessOptions with_our_environment(const std::vector<std::string>& command, const fs::path& directory) {
  ProcessOptions options{.command = command, .environment = {}, .directory = directory};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos) {
      options.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return options;
}

bool is_program(const fs::path& file) { return fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0; }

}  // namespace

int run_command(const std::vector<std::string>& command, const fs::path& directory,
                const std::function<void(const std::string&)>& line) {
  Process process(with_our_environment(command, directory));
  process.close_input();
  std::optional<ExitState> ended;
  while (!process.output_closed() || !(ended = process.exit_state())) {
    (void)process.wait(process.output_closed() ? kReap : kForEver);
    process.poll();
    while (const auto text = process.take_line()) line(*text);
  }
  process.poll();
  std::istringstream errors(process.captured_errors());
  for (std::string text; std::getline(errors, text);) line(text);
  return ended->signal != 0 ? 128 + ended->signal : ended->status;
}

fs::path find_program(const fs::path& name) {
  if (name.has_parent_path()) return is_program(name) ? name : fs::path{};
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (fs::path file = fs::path(folder) / name; is_program(file)) return file;
  }
  return {};
}

fs::path absolute_program(const fs::path& name) {
  const fs::path found = find_program(name);
  return fs::absolute(found.empty() ? name : found).lexically_normal();
}

}  // namespace parityd::executor
