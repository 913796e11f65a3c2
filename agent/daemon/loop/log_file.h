// The daemon's log: one line per event, in a file that is rotated by size and reopened if somebody moves or removes it.
// It never stops the daemon: a line that cannot be written is dropped and counted. One thread (the loop's).
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

  /// Sends later lines to this file; with an empty `settings.file`, nowhere. The file is opened by its first line.
  void open(const LogSettings& settings);

  /// Writes "2026-03-04T05:06:07.089Z warning budget: the text" on one line. `level`: info, warning or error; lines
  /// below the configured level are not written.
  void line(const std::string& level, const std::string& what, const std::string& text);

  /// Lines that could not be written since the process started.
  [[nodiscard]] std::uint64_t dropped() const;
  /// Changes since the last call: reported once when lines start to be dropped, with the reason, once when writing
  /// works again, and when somebody moved or removed the file. Nullopt: none.
  [[nodiscard]] std::optional<LogNews> take_news();

 private:
  class Sink;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::agent
