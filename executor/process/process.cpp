#include "executor/process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>
#include <utility>

#include "executor/confine/descriptor.h"
#include "executor/process/process_tree.h"

namespace parityd::executor {
namespace {

constexpr std::size_t kLineCap = std::size_t{8} << 20;     // docs/protocol.md
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;  // so that no single talker holds up the loop
constexpr std::size_t kCapturedErrors = std::size_t{64} << 10;

[[noreturn]] void fail(int reason, const std::string& what) {
  throw std::system_error(reason, std::generic_category(), what);
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A write to a process that is gone must be an error and not end the daemon, whatever the daemon does with SIGPIPE.
class PipeSignalHeld {
 public:
  PipeSignalHeld() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  PipeSignalHeld(const PipeSignalHeld&) = delete;
  PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;
  ~PipeSignalHeld() {
    if (sigismember(&before_, SIGPIPE) == 0) {
      const timespec now{};
      while (sigtimedwait(&pipe_, nullptr, &now) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

/// The two argument objects of posix_spawn, destroyed on every path.
struct SpawnArguments {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  SpawnArguments() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  SpawnArguments(const SpawnArguments&) = delete;
  SpawnArguments& operator=(const SpawnArguments&) = delete;
  ~SpawnArguments() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
};

void own_group_and_signals(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

pid_t spawn(const ProcessOptions& options, const std::array<int, 3>& standard) {
  SpawnArguments arguments;
  for (std::size_t target = 0; target < standard.size(); ++target) {
    posix_spawn_file_actions_adddup2(&arguments.actions, standard[target], static_cast<int>(target));
  }
  posix_spawn_file_actions_addclosefrom_np(&arguments.actions, static_cast<int>(standard.size()));
  if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&arguments.actions, options.directory.c_str());
  own_group_and_signals(arguments.attributes);
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment;
  for (const auto& [name, value] : options.environment) environment.emplace_back(name).append("=").append(value);
  pid_t pid = -1;
  const int failed = posix_spawnp(&pid, command.at(0).c_str(), &arguments.actions, &arguments.attributes,
                                  argument_pointers(command).data(), argument_pointers(environment).data());
  if (failed != 0) fail(failed, "cannot start " + command[0]);
  go_first_when_memory_ends(pid);  // a plain command or a launch prefix does not do this itself, as the launcher does
  return pid;
}

}  // namespace

struct Process::State {
  Descriptor input, output, errors;
  pid_t pid = -1;
  std::optional<ExitState> exit;
  std::string to_write;
  bool close_when_written = false;
  std::string read;         // of stdout, not yet returned
  std::size_t scanned = 0;  // this many bytes of it hold no newline
  bool overflowed = false;
  CapturedText captured{kCapturedErrors};

  ~State() {
    if (pid > 0 && !exit) {
      kill_all();
      reap(0);
    }
  }

  void kill_all() const {
    ::kill(-pid, SIGSTOP);  // or the root might end on its own when its children die
    kill_descendants(pid);
    ::kill(-pid, SIGKILL);
  }

  void reap(int flags) {
    int how = 0;
    pid_t ended = 0;
    do {
      ended = waitpid(pid, &how, flags);
    } while (ended < 0 && errno == EINTR);
    if (ended == pid) {
      exit = WIFSIGNALED(how) ? ExitState{.status = 0, .signal = WTERMSIG(how)}
                              : ExitState{.status = WEXITSTATUS(how), .signal = 0};
    } else if (ended < 0) {
      exit = ExitState{};  // reaped elsewhere: all that is known is that it is gone
    }
  }

  void flush() {
    if (to_write.empty() && !close_when_written) return;
    const PipeSignalHeld held;
    while (input.open() && !to_write.empty()) {
      const ssize_t written = ::write(input.number(), to_write.data(), to_write.size());
      if (written < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        to_write.clear();
        input.close();
        return;
      }
      to_write.erase(0, static_cast<std::size_t>(written));
    }
    if (close_when_written) input.close();
  }

  [[nodiscard]] bool wants_output() const { return output.open() && !overflowed && read.size() <= kLineCap; }

  template <class Take>
  static void drain(Descriptor& source, std::size_t most, const Take& take) {
    std::array<char, std::size_t{32} << 10> buffer;
    for (std::size_t taken = 0; source.open() && taken < most;) {
      const ssize_t count = ::read(source.number(), buffer.data(), buffer.size());
      if (count > 0) {
        taken += static_cast<std::size_t>(count);
        take(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
      } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        source.close();
      } else {
        return;
      }
    }
  }
};

Process::Process(const ProcessOptions& options) : state_(std::make_unique<State>()) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe errors = make_pipe();
  state_->pid = spawn(options, {input.read.number(), output.write.number(), errors.write.number()});
  state_->input = std::move(input.write);
  state_->output = std::move(output.read);
  state_->errors = std::move(errors.read);
  for (const Descriptor* const ours : {&state_->input, &state_->output, &state_->errors}) {
    fcntl(ours->number(), F_SETFL, O_NONBLOCK);
  }
  if (options.pipe_bytes > 0) {
    for (const Descriptor* const ours : {&state_->input, &state_->output}) {
      fcntl(ours->number(), F_SETPIPE_SZ, options.pipe_bytes);
    }
  }
}

Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;
Process::~Process() = default;

pid_t Process::pid() const { return state_->pid; }

void Process::append_interests(std::vector<Interest>& interests) const {
  if (state_->input.open() && !state_->to_write.empty()) {
    interests.push_back({.descriptor = state_->input.number(), .write = true, .owner = owner()});
  }
  if (state_->wants_output()) {
    interests.push_back({.descriptor = state_->output.number(), .read = true, .owner = owner()});
  }
  if (state_->errors.open()) {
    interests.push_back({.descriptor = state_->errors.number(), .read = true, .owner = owner()});
  }
}

bool Process::wait(std::chrono::milliseconds most) const {
  std::vector<Interest> interests;
  append_interests(interests);
  std::vector<pollfd> pipes;
  std::ranges::transform(interests, std::back_inserter(pipes), to_poll);
  return ::poll(pipes.data(), pipes.size(), static_cast<int>(most.count())) > 0;
}

void Process::write(std::string_view bytes) {
  if (state_->input.open() && !state_->close_when_written) {
    state_->to_write.append(bytes);
    state_->flush();
  }
}

void Process::close_input() {
  state_->close_when_written = true;
  state_->flush();
}

void Process::poll() {
  state_->flush();
  if (state_->wants_output()) {
    State::drain(state_->output, kReadAtOnce, [&](std::string_view bytes) { state_->read.append(bytes); });
  }
  State::drain(state_->errors, kReadAtOnce, [&](std::string_view bytes) { state_->captured.append(bytes); });
}

std::optional<std::string> Process::take_line() {
  auto& read = state_->read;
  const std::size_t end = read.find('\n', state_->scanned);
  if (end == std::string::npos ? read.size() > kLineCap : end > kLineCap) {
    state_->overflowed = true;
    read = {};
    state_->scanned = 0;
    return std::nullopt;
  }
  if (end == std::string::npos) {
    state_->scanned = read.size();
    return std::nullopt;
  }
  std::string line = read.substr(0, end);
  read.erase(0, end + 1);
  state_->scanned = 0;
  return line;
}

bool Process::overflowed() const { return state_->overflowed; }
bool Process::inside_line() const { return !state_->read.empty(); }
bool Process::output_closed() const { return !state_->output.open(); }
std::string Process::captured_errors() const { return state_->captured.text(); }
void Process::forget_errors() { state_->captured = CapturedText(kCapturedErrors); }

std::optional<ExitState> Process::exit_state() {
  if (!state_->exit) state_->reap(WNOHANG);
  return state_->exit;
}

void Process::ask_to_end() {
  close_input();
  if (!exit_state()) ::kill(-state_->pid, SIGTERM);
}

void Process::kill_tree() {
  if (!state_->exit) state_->kill_all();
}

void CapturedText::append(std::string_view bytes) {
  const std::size_t for_head = std::min(bytes.size(), half_ - head_.size());
  head_.append(bytes.substr(0, for_head));
  tail_.append(bytes.substr(for_head));
  if (tail_.size() > 2 * half_) {  // cut rarely: a cut moves the whole tail
    left_out_ += tail_.size() - half_;
    tail_.erase(0, tail_.size() - half_);
  }
}

std::string CapturedText::text() const {
  const std::size_t cut = tail_.size() - std::min(tail_.size(), half_);
  const std::size_t missing = left_out_ + cut;
  if (missing == 0) return head_ + tail_;
  return head_ + "\n[" + std::to_string(missing) + " bytes left out]\n" + tail_.substr(cut);
}

}  // namespace parityd::executor
