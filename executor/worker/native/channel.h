// The worker's end of the protocol (docs/protocol.md): whole JSON lines in, whole JSON lines out, and a heartbeat that
// needs no interpreter lock. Reading belongs to one thread; write() may be called from any.
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

/// A line, its newline included, may be this long (docs/protocol.md).
inline constexpr std::size_t kLongestLine = std::size_t{8} << 20;

/// All of it, also where the other end made the descriptor non-blocking. Allocates nothing. 0 or an errno.
[[nodiscard]] int write_all(int descriptor, std::string_view text);

/// Takes over two open descriptors, marks them close-on-exec at once and closes them when it dies.
class Channel {
 public:
  Channel(int input, int output);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// The next line without its newline; nothing at end of file. Blocks; throws std::system_error, and std::length_error
  /// for a line over the limit.
  [[nodiscard]] std::optional<std::string> read_line();

  /// Writes `line` and a newline; no other line of this process comes between. Throws like read_line(). A process that
  /// a program forked has no say here: it ends at once.
  void write(std::string_view line);

  /// How many lines write() was given, beats apart.
  [[nodiscard]] std::uint64_t lines_written() const { return lines_written_; }

  /// Writes {"type":"beat"} every `seconds` from a thread of its own, until stop_beats().
  void start_beats(double seconds);
  /// Ends that thread. To be called before a fork: the child would inherit its locks but not the thread.
  void stop_beats();

  [[nodiscard]] int input() const { return input_; }
  [[nodiscard]] int output() const { return output_; }

  /// In a child forked for the protocol: takes the channel over, forgets input that was meant for the parent, and dies
  /// with the parent.
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
