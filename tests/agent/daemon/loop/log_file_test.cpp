#include "agent/daemon/loop/log_file.h"

#include <sys/stat.h>

#include "tests/catch.h"
#include "tests/files.h"

using namespace parityd::agent;
namespace fs = std::filesystem;

namespace {

struct LogFolder : parityd::tests::TemporaryFolder {
  [[nodiscard]] std::string text(const std::string& name) const { return parityd::tests::read_file(path() / name); }
};

}  // namespace

TEST_CASE("a log line has time, level and text and cannot contain a second line") {
  const LogFolder folder;
  LogFile log;
  log.line("error", "lost", "before there is a file");
  log.open({.file = folder.path() / "a.log", .level = "warning"});
  log.line("info", "quiet", "below the level");
  log.line("warning", "budget", "two\nlines \x1b[31mand colour");
  const std::string text = folder.text("a.log");
  CHECK(text.find("Z warning budget: two lines ") == 23);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("quiet") == std::string::npos);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(log.dropped() == 0);
}

TEST_CASE("lines that cannot be written are dropped, counted and reported once") {
  const LogFolder folder;
  LogFile log;
  log.open({.file = "/dev/full"});
  log.line("info", "a", "one");
  const auto news = log.take_news();
  REQUIRE(news);
  CHECK(news->text.find("/dev/full: lines are dropped: No space left on device") == 0);
  log.line("info", "a", "two");
  CHECK_FALSE(log.take_news());
  CHECK(log.dropped() == 2);
  log.open({.file = folder.path() / "b.log"});
  log.line("info", "a", "three");
  CHECK(log.take_news()->text.find("writing again; 2 lines were dropped") != std::string::npos);
  CHECK(log.dropped() == 2);
}

TEST_CASE("a pipe without a reader or a missing folder blocks nobody") {
  const LogFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  LogFile log;
  log.open({.file = pipe});
  log.line("info", "a", "one");
  log.open({.file = folder.path() / "nowhere" / "c.log"});
  log.line("info", "a", "two");
  CHECK(log.dropped() == 2);
}

TEST_CASE("a log that is full is rotated and the oldest file is removed") {
  const LogFolder folder;
  LogFile log;
  log.open({.file = folder.path() / "d.log", .max_size = 100, .files = 2});
  for (int number = 0; number < 8; ++number) {
    log.line("info", "a", "line number " + std::to_string(number) + std::string(20, '.'));
  }
  CHECK(folder.text("d.log").find("number 7") != std::string::npos);
  CHECK(folder.text("d.log.1").find("number 6") != std::string::npos);
  CHECK(folder.text("d.log.2").find("number 5") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path() / "d.log.3"));
  log.open({.file = folder.path() / "e.log", .max_size = 100, .files = 0});
  log.line("info", "a", std::string(60, 'x'));
  log.line("info", "a", std::string(60, 'y'));
  CHECK(folder.text("e.log").find("yyy") != std::string::npos);
  CHECK(folder.text("e.log").find("xxx") == std::string::npos);
  CHECK_FALSE(fs::exists(folder.path() / "e.log.1"));
}
