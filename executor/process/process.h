// A child process with pipes on stdin, stdout and stderr, started by posix_spawn in its own process group. Its whole
// tree is killed when the handle is destroyed. Non-blocking reads and buffered writes. One thread (the loop's).
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

// Keeps head and tail of a text of any length, within a cap. One thread.

class CapturedText {
 public:
  explicit CapturedText(std::size_t cap) : half_(cap / 2) {}

  void append(std::string_view bytes);
  /// If bytes are missing, a line between head and tail says how many.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t half_;
  std::string head_, tail_;
  std::size_t left_out_ = 0;
};

struct ProcessOptions {
  std::vector<std::string> command;                // argv; [0] looked up in PATH
  std::map<std::string, std::string> environment;  // the whole environment of the child
  std::filesystem::path directory;                 // working directory; empty: ours
  int pipe_bytes = 0;  // capacity of the stdin and stdout pipes, if the system allows it; 0: the system's default
};

/// How a process ended, as seen by its parent.
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
  ~Process();  // kills the process group if it is still alive, and reaps the process

  [[nodiscard]] pid_t pid() const;
  void append_interests(std::vector<Interest>& interests) const;
  /// The owner number of its interests.
  [[nodiscard]] std::uint64_t owner() const { return static_cast<std::uint64_t>(pid()); }
  /// For callers with nothing else to wait for. True once poll() would move something; false after `most`. Negative:
  /// waits without limit.
  [[nodiscard]] bool wait(std::chrono::milliseconds most) const;

  /// Queues bytes for stdin; never blocks.
  void write(std::string_view bytes);
  void close_input();

  /// Moves what can be moved without blocking: writes stdin, reads stdout and stderr.
  void poll();

  /// The next complete line of stdout without its newline. A line over the cap ends the stream: overflowed() becomes
  /// true.
  [[nodiscard]] std::optional<std::string> take_line();
  [[nodiscard]] bool overflowed() const;
  [[nodiscard]] bool output_closed() const;
  /// Whether bytes of stdout are left that take_line() has not returned; after it found no line, they are the start of
  /// one.
  [[nodiscard]] bool inside_line() const;

  /// Head and tail of stderr so far, at most 64 KiB together, plus a line that counts the missing bytes.
  [[nodiscard]] std::string captured_errors() const;
  void forget_errors();  // restarts "so far"

  /// Set once the process has been reaped. Calls waitpid without blocking.
  [[nodiscard]] std::optional<ExitState> exit_state();
  /// Closes stdin and sends SIGTERM to the group. A launch prefix passes both on to what it started elsewhere, or
  /// withdraws what it is still waiting for (srun its job); if killed, it would leave that behind.
  void ask_to_end();
  void kill_tree();  // SIGKILL to the group and to every descendant

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Texts in the form that exec takes. Any thread.

/// Null-terminated; valid as long as `texts` is not modified.
[[nodiscard]] inline std::vector<char*> argument_pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace parityd::executor
