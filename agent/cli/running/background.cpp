#include "agent/cli/running/background.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "agent/cli/reading.h"
#include "agent/daemon/lock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

/// Seconds for the child to take the lock; before that it only reads the configuration.
constexpr int kPatienceSeconds = 20;

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

pid_t spawn_detached(const std::vector<std::string>& arguments, const fs::path& output) {
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", actions.get(), &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -1;
}

}  // namespace

int start_in_background(Context& context, const fs::path& log) {
  if (const auto holder = DaemonLock::holder(context.state_directory)) {
    context.err << fmt::format("parityd run: {}: another parityd is running here ({}); stop it with `parityd stop`\n",
                               context.state_directory.string(), described(*holder));
    return 3;
  }
  fs::create_directories(context.state_directory);
  std::vector<std::string> arguments = context.arguments;
  std::replace(arguments.begin(), arguments.end(), std::string("--background"), std::string(kBehindOption));
  const fs::path output = context.state_directory / "parityd.out";
  const pid_t child = spawn_detached(arguments, output);
  for (int tenths = 0; child > 0 && tenths < kPatienceSeconds * 10; ++tenths) {
    if (waitpid(child, nullptr, WNOHANG) == child) break;
    const auto holder = DaemonLock::holder(context.state_directory);
    if (holder && holder->pid == child) {
      context.out << fmt::format("parityd is running as pid {}, log {}\n", child, log.string());
      return 0;
    }
    poll(nullptr, 0, 100);
  }
  context.err << "parityd run --background: the daemon did not start; its output:\n"
              << text_of_file(output).value_or("");
  return 3;
}

}  // namespace parityd::agent
