// parityd-worker: builds a sandbox around one Python that runs untrusted programs, and supervises it.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "executor/launcher/arguments.h"
#include "executor/launcher/environment.h"
#include "executor/launcher/pipe.h"
#include "executor/launcher/supervisor.h"
#include "executor/process/process.h"
#include "executor/process/process_tree.h"

namespace parityd::launcher {
namespace {

constexpr int kMisuse = 2;
constexpr int kEnvironment = 3;
constexpr int kAboveAll = 16;  // private descriptors start above every number a child will want
constexpr int kCannotExecute = 127;
constexpr int kNice = 5;  // a third of the weight of a process with nice value 0

Descriptor moved_up(int number) {
  const int copy = fcntl(number, F_DUPFD_CLOEXEC, kAboveAll);
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "descriptor " + std::to_string(number));
  return Descriptor(copy);
}

/// Moves the protocol away from standard input and output, so that no part of a program finds it there.
Channel take_channel(const Descriptor& null) {
  Channel channel{moved_up(STDIN_FILENO), moved_up(STDOUT_FILENO)};
  dup2(null.number(), STDIN_FILENO);
  dup2(null.number(), STDOUT_FILENO);
  return channel;
}

Descriptor block_signals() {
  sigset_t watched;
  sigemptyset(&watched);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) {
    sigaddset(&watched, number);
  }
  sigprocmask(SIG_BLOCK, &watched, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return Descriptor(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
}

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Empty, or what to tell the operator: the sandbox is weaker than requested.
std::string refusal(const Arguments& arguments, const Layers& layers) {
  const Level wanted = arguments.sandbox == Level::automatic ? Level::reduced : arguments.sandbox;
  if (!arguments.without.empty() || layers.level() >= wanted) return {};
  return "this machine allows less than sandbox level " + std::string(name_of(wanted)) +
         "; off: " + layers.missing_for(wanted) +
         ". To run programs without that protection: --sandbox none, or sandbox = \"none\" under [executor]";
}

void refuse_if_less(const Arguments& arguments, const Layers& layers) {
  if (const std::string why = refusal(arguments, layers); !why.empty()) {
    std::fprintf(stderr, "parityd-worker: %s\n", why.c_str());
    std::fflush(stderr);
    _exit(kEnvironment);
  }
}

/// Otherwise a program of the same user could read and write this process's memory (proc(5), /proc/PID/mem).
void hide(const Arguments& arguments) {
  const bool off = std::ranges::find(arguments.without, Layer::hidden) != arguments.without.end();
  prctl(PR_SET_DUMPABLE, off || arguments.sandbox == Level::none ? 1 : 0);
}

/// In the sandbox: sets up descriptors, folder and environment as the program is to see them, then executes it.
[[noreturn]] void become_python(const Arguments& arguments, const std::array<int, 5>& descriptors, const Layers& layers,
                                const std::optional<confine::ChildRoom>& children, Clock::time_point start) {
  for (std::size_t target = 0; target < descriptors.size(); ++target) {
    dup2(descriptors[target], static_cast<int>(target));
  }
  close_from(static_cast<int>(descriptors.size()));
  refuse_if_less(arguments, layers);
  auto environment = make_environment(arguments);
  std::vector<std::string> command{arguments.python, arguments.script()};
  umask(arguments.build_cache ? 022 : 077);  // others read what the cache builder makes
  environment.push_back("PARITYD_SANDBOX=" + layers.report(milliseconds_since(start)));
  if (children) environment.push_back("PARITYD_CHILDREN=" + encode(*children));
  restore_signals();
  if (chdir(arguments.scratch.c_str()) == 0) {
    execvpe(command[0].c_str(), executor::argument_pointers(command).data(),
            executor::argument_pointers(environment).data());
  }
  std::fprintf(stderr, "parityd-worker: cannot start %s: %s\n", command[0].c_str(), std::strerror(errno));
  _exit(kCannotExecute);
}

/// When processors are scarce the daemon goes before its workers, which wait for it.
void yield_to_daemon() { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kNice); }

int launch(const Arguments& arguments, Clock::time_point start) {
  executor::go_first_when_memory_ends(getpid());  // before there is any child that could start without it
  if (arguments.worker()) yield_to_daemon();
  const Descriptor null(open("/dev/null", O_RDWR | O_CLOEXEC));
  Channel channel = take_channel(null);
  Descriptor signals = block_signals();
  Pipe captured = make_pipe();
  const Descriptor quiet = moved_up(null.number());
  Descriptor output = moved_up(captured.write.number());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Sandboxed sandboxed = start_sandboxed(arguments, [&](const Layers& layers, const auto& children) {
    become_python(arguments,
                  {quiet.number(), output.number(), output.number(), channel.input.number(), channel.output.number()},
                  layers, children, start);
  });
  hide(arguments);
  captured.write.close();
  output.close();  // or its other end would never see the end of the program's output
  Supervisor supervisor(std::move(sandboxed), std::move(channel), std::move(captured.read), std::move(signals));
  const int status = supervisor.run();
  take_cache_back(arguments);
  return end_like(status);
}

/// Builds a sandbox around nothing and reports its layers.
int probe(Arguments arguments, Clock::time_point start) {
  std::string folder = std::filesystem::temp_directory_path() / "parityd-probe-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) throw std::system_error(errno, std::generic_category(), folder);
  arguments.scratch = folder;
  const Descriptor signals = block_signals();
  Sandboxed sandboxed = start_sandboxed(arguments, [&](const Layers& layers, const auto& /*children*/) {
    std::printf("%s\n", layers.report(milliseconds_since(start)).c_str());
    std::fflush(stdout);
    refuse_if_less(arguments, layers);
    _exit(0);
  });
  int status = 0;
  waitpid(sandboxed.child, &status, 0);
  if (sandboxed.own_init && read(sandboxed.status.number(), &status, sizeof status) != sizeof status) status = SIGKILL;
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return end_like(status);
}

}  // namespace
}  // namespace parityd::launcher

int main(int argc, char* argv[]) {
  using namespace parityd::launcher;
  const auto start = Clock::now();
  const auto arguments = parse_arguments({argv, static_cast<std::size_t>(argc)});
  if (!arguments) {
    std::fprintf(stderr, "parityd-worker: %s\n%s", arguments.error().c_str(), usage().c_str());
    return kMisuse;
  }
  if (arguments->help) {
    std::fputs(usage().c_str(), stdout);
    return 0;
  }
  try {
    return arguments->probe ? probe(*arguments, start) : launch(*arguments, start);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "parityd-worker: %s\n", failure.what());
    return kEnvironment;
  }
}
