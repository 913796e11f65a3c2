#include "fork_parent.h"

#include <Python.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "crash_handler.h"
#include "executor/confine/child_room.h"
#include "pages.h"

namespace parityd::worker {
namespace {

constexpr int kBeatMilliseconds = 1000;
constexpr std::size_t kLongestRequest = 256;
constexpr std::string_view kBeat = "{\"type\":\"beat\"}\n";
constexpr std::string_view kBeforeNumber = "{\"id\":";
constexpr std::string_view kFork = ",\"type\":\"fork\"}";
constexpr std::string_view kShutdown = "{\"type\":\"shutdown\"}";

/// The parent's loop. Nothing in it allocates.
class Parent {
 public:
  /// `first_processes`: each child is the first of its own process namespace.
  Parent(Channel& channel, const confine::ChildForks& forks, const Pages& pages, bool first_processes)
      : channel_(channel), forks_(forks), pages_(pages), first_processes_(first_processes) {}

  void say_primed(double seconds) const {
    const Pages::Look look = pages_.look();
    say(R"({"type":"primed","seconds":%.6f,"memory":"%016llx","changed":"%llx"})"
        "\n",
        seconds, static_cast<unsigned long long>(look.digest), static_cast<unsigned long long>(look.changed));
  }

  /// Returns only in a child, with its number.
  std::int64_t serve() const {
    for (;;) {
      const std::int64_t number = next_request();
      const pid_t child = forks_.fork_child();
      if (child == 0) return number;
      if (child < 0) {
        say(R"({"type":"error","id":%lld,"message":"no child can be forked: errno %d"})"
            "\n",
            static_cast<long long>(number), errno);
        _exit(1);
      }
      tell_end(number, child);
    }
  }

 private:
  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) const {
    std::array<char, 512> text;
    va_list values;
    va_start(values, format);
    const int size = std::vsnprintf(text.data(), text.size(), format, values);
    va_end(values);
    tell(channel_.output(), {text.data(), static_cast<std::size_t>(size)});
  }

  static void tell(int descriptor, std::string_view text) {
    if (write_all(descriptor, text) != 0) _exit(1);  // the daemon is gone
  }

  /// Byte by byte: what follows the line is for the child to read.
  std::int64_t next_request() const {
    std::array<char, kLongestRequest> line;
    std::size_t size = 0;
    while (size < line.size()) {
      pollfd ready{.fd = channel_.input(), .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, kBeatMilliseconds) == 0) {
        tell(channel_.output(), kBeat);
        continue;
      }
      const ssize_t count = read(channel_.input(), line.data() + size, 1);
      if (count == 0) _exit(0);
      if (count < 0 && errno != EAGAIN && errno != EINTR) _exit(1);
      if (count == 1 && line[size] == '\n') return number_in({line.data(), size});
      size += count == 1 ? 1 : 0;
    }
    return number_in({});
  }

  [[nodiscard]] std::int64_t number_in(std::string_view line) const {
    std::int64_t number = 0;
    if (line == kShutdown) _exit(0);
    if (line.starts_with(kBeforeNumber)) {
      const auto [end, error] = std::from_chars(line.data() + kBeforeNumber.size(), line.data() + line.size(), number);
      if (error == std::errc() && line.substr(static_cast<std::size_t>(end - line.data())) == kFork) return number;
    }
    say(R"({"type":"error","id":0,"message":"a fork parent is asked to fork or to shut down, nothing else"})"
        "\n");
    _exit(1);
  }

  void tell_end(std::int64_t number, pid_t child) const {
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    end_leftovers();
    std::array<char, 64> mark;
    const int size =
        std::snprintf(mark.data(), mark.size(), "[parityd: job %lld has ended]\n", static_cast<long long>(number));
    tell(STDERR_FILENO, {mark.data(), static_cast<std::size_t>(size)});  // after the child's last output
    const bool told_signal = first_processes_ && WIFEXITED(how) && WEXITSTATUS(how) > kEndedBySignal &&
                             WEXITSTATUS(how) <= kEndedBySignal + SIGSYS;
    const int signal = WIFSIGNALED(how) ? WTERMSIG(how) : told_signal ? WEXITSTATUS(how) - kEndedBySignal : 0;
    const Pages::Look look = pages_.look();
    say(R"({"type":"ended","id":%lld,"status":%d,"signal":%d,"memory":"%016llx","changed":"%llx"})"
        "\n",
        static_cast<long long>(number), signal != 0 ? 0 : WEXITSTATUS(how), signal,
        static_cast<unsigned long long>(look.digest), static_cast<unsigned long long>(look.changed));
  }

  /// Processes left behind by a child without a process namespace are now children of this process, and so are theirs.
  void end_leftovers() const {
    constexpr int kTries = 100;
    for (int tried = 0; tried < kTries && end_some_leftovers(); ++tried) {
    }
  }

  [[nodiscard]] bool end_some_leftovers() const {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/children", getpid());
    std::array<char, 4096> text;
    const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? 0 : read(file, text.data(), text.size());
    if (file >= 0) close(file);
    bool any = false;
    const char* const end = text.data() + (size > 0 ? size : 0);
    for (const char* at = text.data(); at < end;) {
      pid_t pid = 0;
      const auto [after, error] = std::from_chars(at, end, pid);
      at = after + 1;
      if (error != std::errc()) continue;
      any = true;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    return any;
  }

  Channel& channel_;
  const confine::ChildForks& forks_;
  const Pages& pages_;
  bool first_processes_;
};

[[noreturn]] void refuse(Channel& channel, std::int64_t number, const std::string& why) {
  channel.write(nlohmann::json{{"type", "error"}, {"id", number}, {"message", "the child's sandbox: " + why}}.dump());
  _exit(1);
}

[[gnu::noinline]] std::int64_t number_in_child(Channel& channel, double seconds, const confine::ChildRoom& room,
                                               const void* frame) {
  const confine::ChildForks forks(room);
  const Pages pages(frame);  // a copy of this process from here on
  const Parent parent(channel, forks, pages, room.processes);
  if (room.hidden) prctl(PR_SET_DUMPABLE, 0);
  parent.say_primed(seconds);
  return parent.serve();
}

}  // namespace

std::int64_t fork_children(Channel& channel, double primed_seconds, std::string_view text) {
  const confine::ChildRoom room = text.empty() ? confine::ChildRoom{} : confine::decode_room(text);
  const std::int64_t number = number_in_child(channel, primed_seconds, room, __builtin_frame_address(0));
  channel.after_fork();
  if (const auto refusal = confine::enter(room, number)) refuse(channel, number, refusal->why);
  // Does everything Python does around a fork here, so that the parent's memory stays unchanged.
  PyOS_BeforeFork();
  PyOS_AfterFork_Child();
  return number;
}

}  // namespace parityd::worker
