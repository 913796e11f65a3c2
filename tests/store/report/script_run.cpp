#include "tests/store/report/script_run.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tests/files.h"
#include "tests/store/fixture.h"
#include "tests/this_build.h"

namespace parityd::tests {
namespace {

/// Where CI is set, PyTorch's test utilities also write an XML report, by a package that need not be there.
void prepare_environment() {
  setenv("TORCHINDUCTOR_CACHE_DIR", (this_build::folder() / "repro-cache").c_str(), 1);
  unsetenv("CI");
}

/// tests/store/report/warm_python.py, for as long as this process lives.
class WarmPython {
 public:
  WarmPython() {
    prepare_environment();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
    channel_ = ends[0];
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], 3);
      const std::string python = this_build::python_with_torch();
      const std::string script = PARITYD_SOURCE_DIR "/tests/store/report/warm_python.py";
      execl(python.c_str(), python.c_str(), script.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
  }
  ~WarmPython() {
    close(channel_);
    waitpid(process_, nullptr, 0);
  }
  WarmPython(const WarmPython&) = delete;
  WarmPython& operator=(const WarmPython&) = delete;

  /// The exit status of script.py in `folder`.
  int run(const std::filesystem::path& folder) {
    const std::string line = folder.string() + "\n";
    std::string answer;
    char letter = 0;
    if (write(channel_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
      while (read(channel_, &letter, 1) == 1 && letter != '\n') answer += letter;
    }
    if (letter != '\n') throw std::runtime_error("tests/store/report/warm_python.py has ended");
    return std::stoi(answer);
  }

 private:
  int channel_ = -1;
  pid_t process_ = -1;
};

/// What it left in `folder`, with that status.
ScriptRun told(int status, const std::filesystem::path& folder) {
  return {.status = status, .out = read_file(folder / "out"), .err = read_file(folder / "err")};
}

}  // namespace

ScriptRun run_script(const std::string& text) {
  static WarmPython python;
  const Folder folder;
  std::ofstream(folder.path() / "script.py") << text;
  return told(python.run(folder.path()), folder.path());
}

ScriptRun run_script_as_people_do(const std::string& text) {
  prepare_environment();
  const Folder folder;
  std::ofstream(folder.path() / "script.py") << text;
  const std::string command = fmt::format("cd {} && '{}' script.py > out 2> err", folder.path().string(),
                                          this_build::python_with_torch().string());
  const int status = std::system(command.c_str());
  return told(WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.path());
}

std::optional<std::string> no_torch() {
  if (this_build::python_with_torch().empty()) return "no Python with torch was configured";
  return std::nullopt;
}

}  // namespace parityd::tests
