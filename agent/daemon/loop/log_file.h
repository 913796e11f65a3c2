// The daemon's log: a line an event, in a file that is rotated by size, opened anew where somebody moved or removed it,
// and that never stops the daemon: a line that cannot be written is dropped and counted. One thread (the loop's).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agent/config.h"
#include "store/work/event_kind.h"

namespace parityd::agent {

struct LogNews {
  store::EventKind kind;
  std::string text;
};

class LogFile {
 public:
  LogFile();
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  /// From now on lines go there; an empty `settings.file`: nowhere. The file is opened by its first line.
  void open(const LogSettings& settings);

  /// "2026-03-04T05:06:07.089Z warning budget: the text", on one line. `level`: info, warning or error; below the
  /// configured one nothing is written.
  void line(const std::string& level, const std::string& what, const std::string& text);

  /// Lines that could not be written, over the process' life.
  [[nodiscard]] std::uint64_t dropped() const;
  /// What became of the file since last asked: once when lines begin to be dropped, with the reason, once when they are
  /// written again; and when somebody had moved or removed it.
  [[nodiscard]] std::optional<LogNews> take_news();

 private:
  class Sink;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
