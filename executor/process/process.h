// A child process with pipes on stdin, stdout and stderr, started by posix_spawn in its own process group, killed with
// its whole tree when the handle dies. Non-blocking reads and buffered writes. One thread (the loop's).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executor/process/interest.h"

namespace parityd::executor {

// Head and tail of a text of any length, within a cap. One thread.

class CapturedText {
 public:
  explicit CapturedText(std::size_t cap) : half_(cap / 2) {}

  void append(std::string_view bytes);
  /// With a line that counts the missing bytes between head and tail when there are any.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t half_;
  std::string head_, tail_;
  std::size_t left_out_ = 0;
};

struct ProcessOptions {
  std::vector<std::string> command;                // argv; [0] looked up in PATH
  std::map<std::string, std::string> environment;  // the whole environment of the child
  std::filesystem::path directory;                 // working directory; empty keeps ours
  int pipe_bytes = 0;  // that stdin and stdout hold, where the system lets them; 0: as it comes
};

/// How a process ended, as its parent saw it.
struct ExitState {
  int status = 0;  // exit status when signal is 0
  int signal = 0;
};

class Process {
 public:
  /// Throws std::system_error when the process cannot be started.
  explicit Process(const ProcessOptions& options);
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills the group if still alive and reaps it

  [[nodiscard]] pid_t pid() const;
  void append_interests(std::vector<Interest>& interests) const;
  /// Of its interests.
  [[nodiscard]] std::uint64_t owner() const { return static_cast<std::uint64_t>(pid()); }
  /// For those who have nothing else to wait for: until service() would move something, true, or `most` has passed;
  /// negative: for ever.
  [[nodiscard]] bool wait(std::chrono::milliseconds most) const;

  /// Queues bytes for stdin; never blocks.
  void write(std::string_view bytes);
  void close_input();

  /// Moves what can be moved without blocking: flushes stdin, reads stdout and stderr.
  void service();

  /// Next complete line of stdout without its newline. Lines over the cap end the stream: overflowed() turns true.
  [[nodiscard]] std::optional<std::string> take_line();
  [[nodiscard]] bool overflowed() const;
  [[nodiscard]] bool output_closed() const;
  /// Bytes of stdout are waiting that take_line() did not take: after it found no line, the beginning of one.
  [[nodiscard]] bool inside_line() const;

  /// Head and tail of stderr so far, at most 64 KiB together (and a line that counts what is missing).
  [[nodiscard]] std::string captured_errors() const;
  void forget_errors();  // "so far" begins anew

  /// Set once the process has been reaped. Calls waitpid without blocking.
  [[nodiscard]] std::optional<ExitState> exit_state();
  /// Closes stdin and sends SIGTERM to the group. A launch prefix hands both on to what it started elsewhere, or takes
  /// back what it still waits for (srun its job); killed, it would leave that behind.
  void ask_to_end();
  void kill_tree();  // SIGKILL to the group and to every descendant

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Texts as exec takes them. Any thread.

/// Null-terminated; valid while `texts` are not touched.
[[nodiscard]] inline std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace parityd::executor
