#include "agent/daemon/loop/log_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "executor/confine/descriptor.h"
#include "store/base/text.h"

namespace parityd::agent {
namespace fs = std::filesystem;
using executor::Descriptor;

/// spdlog's own file sinks throw when the disk is full and keep writing to a file that was moved away.
class LogFile::Sink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  void set(const LogSettings& settings) {
    settings_ = settings;
    file_.close();
  }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::optional<LogNews> take_news() { return std::exchange(news_, std::nullopt); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    put({text.data(), text.size()});
  }
  void flush_() override {}

 private:
  void put(std::string_view line) {
    if (settings_.file.empty()) return;
    const int why = write_whole(line);
    if (why != 0) {
      drop(why);
    } else if (missing_ > 0) {
      news_ = {.kind = store::EventKind::log_lines_dropped,
               .text = fmt::format("{}: writing again; {} lines were dropped", settings_.file.string(), missing_)};
      missing_ = 0;
    }
  }

  void drop(int why) {
    ++dropped_;
    if (missing_++ == 0) {
      news_ = {.kind = store::EventKind::log_lines_dropped,
               .text = fmt::format("{}: lines are dropped: {}; free space there, or set another file in [log] file",
                                   settings_.file.string(), std::strerror(why))};
    }
  }

  /// 0, or the errno; then no part of the line is in the file.
  int write_whole(std::string_view line) {
    if (const int why = make_ready(line.size()); why != 0) return why;
    const ssize_t written = write(file_.number(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return 0;
    const int why = written < 0 ? errno : ENOSPC;
    struct stat now {};
    if (written > 0 && fstat(file_.number(), &now) == 0 && S_ISREG(now.st_mode)) {
      (void)!ftruncate(file_.number(), now.st_size - written);  // half a line would corrupt the next one
    }
    return why;
  }

  /// Opens the file, again if its name now refers to another file, and makes room in it.
  int make_ready(std::size_t more) {
    struct stat open_one {
    }, named{};
    const bool there = stat(settings_.file.c_str(), &named) == 0;
    const bool same = file_.open() && there && fstat(file_.number(), &open_one) == 0 &&
                      open_one.st_ino == named.st_ino && open_one.st_dev == named.st_dev;
    if (!same && file_.open()) {
      file_.close();
      news_ = {.kind = store::EventKind::log_reopened, .text = settings_.file.string()};
    }
    const auto after = there ? named.st_size + static_cast<std::int64_t>(more) : 0;
    if (there && S_ISREG(named.st_mode) && named.st_size > 0 && after > settings_.max_size) {
      file_.close();
      rotate();
    }
    if (!file_.open()) {
      // O_NONBLOCK: a pipe without a reader must not block the daemon.
      file_ = Descriptor(::open(settings_.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
    }
    return file_.open() ? 0 : errno;
  }

  [[nodiscard]] fs::path older(int number) const { return settings_.file.string() + "." + std::to_string(number); }

  /// FILE becomes FILE.1, FILE.1 becomes FILE.2 and so on; the oldest is deleted.
  void rotate() const {
    std::error_code ignored;
    if (settings_.files == 0) {
      fs::remove(settings_.file, ignored);
      return;
    }
    for (int number = settings_.files - 1; number > 0; --number) fs::rename(older(number), older(number + 1), ignored);
    fs::rename(settings_.file, older(1), ignored);
  }

  LogSettings settings_;
  Descriptor file_;
  std::uint64_t dropped_ = 0;
  std::uint64_t missing_ = 0;  // since the last successful line
  std::optional<LogNews> news_;
};

struct LogFile::State {
  std::shared_ptr<Sink> sink = std::make_shared<Sink>();
  spdlog::logger logger{"parityd", sink};
};

LogFile::LogFile() : state_(std::make_unique<State>()) {
  state_->logger.set_formatter(
      std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc));
}
LogFile::~LogFile() = default;

void LogFile::open(const LogSettings& settings) {
  state_->sink->set(settings);
  state_->logger.set_level(spdlog::level::from_str(settings.level));
}

void LogFile::line(const std::string& level, const std::string& what, const std::string& text) {
  state_->logger.log(spdlog::level::from_str(level), "{}: {}", what, store::clean_line(text));
}

std::uint64_t LogFile::dropped() const { return state_->sink->dropped(); }
std::optional<LogNews> LogFile::take_news() { return state_->sink->take_news(); }

}  // namespace parityd::agent
