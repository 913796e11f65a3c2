// The worker's end of the protocol (docs/protocol.md): reads and writes whole JSON lines, with a heartbeat that needs
// no interpreter lock. Only one thread may read; any thread may call write().
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace parityd::worker {

/// Maximum length of a line, including its newline (docs/protocol.md).
inline constexpr std::size_t kLongestLine = std::size_t{8} << 20;

/// Writes all of it, even if the other end made the descriptor non-blocking. Allocates nothing. Returns 0 or an errno.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

/// Takes ownership of two open descriptors: marks them close-on-exec at once and closes them at the end.
class Channel {
 public:
  Channel(int input, int output);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// The next line without its newline; nullopt at end of file. Blocks. Throws std::system_error, and std::length_error
  /// for a line over the limit.
  [[nodiscard]] std::optional<std::string> read_line();

  /// Writes `line` and a newline, with no other line of this process in between. Throws like read_line(). In a process
  /// forked by a program it writes nothing and ends the process.
  void write(std::string_view line);

  /// Number of lines given to write(), not counting beats.
  [[nodiscard]] std::uint64_t lines_written() const { return lines_written_; }

  /// Writes {"type":"beat"} every `seconds` from its own thread, until stop_beats().
  void start_beats(double seconds);
  /// Ends that thread. To be called before a fork: the child would inherit its locks but not the thread.
  void stop_beats();

  [[nodiscard]] int input() const { return input_; }
  [[nodiscard]] int output() const { return output_; }

  /// In a child forked for the protocol: takes over the channel, discards input meant for the parent, and arranges to
  /// die with the parent.
  void after_fork();

 private:
  void write_whole(std::string_view line);

  int input_;
  int output_;
  pid_t owner_;
  std::atomic<std::uint64_t> lines_written_{0};
  std::string pending_;
  std::mutex writing_;
  std::mutex beating_;
  std::condition_variable_any beat_stopped_;
  std::jthread beats_;
};

}  // namespace parityd::worker
