#include "agent/cli/reports/watching.h"

#include <ostream>
#include <sstream>

#include "agent/cli/watched_signals.h"

namespace parityd::agent {
namespace {

/// Switches to the terminal's alternate screen, without a cursor and with long lines cut, during its lifetime.
class SecondScreen {
 public:
  explicit SecondScreen(std::ostream& out) : out_(out) { out_ << "\x1b[?1049h\x1b[?25l\x1b[?7l" << std::flush; }
  ~SecondScreen() { out_ << "\x1b[?7h\x1b[?25h\x1b[?1049l" << std::flush; }
  SecondScreen(const SecondScreen&) = delete;
  SecondScreen& operator=(const SecondScreen&) = delete;

 private:
  std::ostream& out_;
};

}  // namespace

std::string redrawn(const std::string& page, const Screen& screen) {
  std::istringstream lines(page);
  std::string result = "\x1b[H";
  std::size_t shown = 0;
  for (std::string line; shown < screen.rows && std::getline(lines, line); ++shown) {
    result += (shown > 0 ? "\n" : "") + line + "\x1b[K";
  }
  return result + "\x1b[J";
}

void watch(const Watched& watched, std::ostream& out, Screen screen, std::chrono::milliseconds every) {
  const WatchedSignals signals;
  if (!screen.terminal) {
    do {
      out << watched.line() << std::flush;
    } while (out && signals.wait(every));
    return;
  }
  std::string page;
  {
    const SecondScreen second(out);
    do {
      screen = standard_screen();
      page = watched.page(screen);
      out << redrawn(page, screen) << std::flush;
    } while (out && signals.wait(every));
  }
  out << page << std::flush;
}

}  // namespace parityd::agent
