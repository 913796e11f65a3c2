#include "agent/cli/background.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <ostream>
#include <vector>

#include "agent/daemon/lock.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

/// Seconds the child has to take the lock: reading the configuration is all it does before.
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

pid_t spawn_detached(const std::vector<std::string>& arguments, const fs::path& log) {
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(actions.get(), 1, 2);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const auto& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, "/proc/self/exe", actions.get(), &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  return error == 0 ? child : -1;
}

std::string tail_of(const fs::path& log, std::uintmax_t from) {
  std::ifstream stream(log, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(from));
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int start_in_background(Context& context) {
  if (const auto holder = DaemonLock::holder(context.state_directory)) {
    context.err << fmt::format("parityd run: {}: pid {} runs here since {}; `parityd stop` ends it\n",
                               context.state_directory.string(), holder->pid, holder->since);
    return 3;
  }
  fs::create_directories(context.state_directory);
  std::vector<std::string> arguments = context.arguments;
  std::erase(arguments, "--background");
  const fs::path log = context.state_directory / "parityd.log";
  std::error_code missing;
  const std::uintmax_t log_size = fs::exists(log, missing) ? fs::file_size(log) : 0;
  const pid_t child = spawn_detached(arguments, log);
  for (int tenths = 0; child > 0 && tenths < kPatienceSeconds * 10; ++tenths) {
    if (waitpid(child, nullptr, WNOHANG) == child) {
      break;
    }
    const auto holder = DaemonLock::holder(context.state_directory);
    if (holder && holder->pid == child) {
      context.out << fmt::format("parityd runs as pid {}, log {}\n", child, log.string());
      return 0;
    }
    poll(nullptr, 0, 100);
  }
  context.err << "parityd run --background: did not start; it said:\n" << tail_of(log, log_size);
  return 3;
}

}  // namespace parityd::agent
