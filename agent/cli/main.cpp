#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "agent/cli/command_line.h"

namespace {

/// Opens closed descriptors among 0, 1 and 2 as /dev/null: otherwise the next file opened, the database, would get such
/// a number, and whoever prints would write to it.
void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", O_RDWR);  // opens the lowest free number, which is this one
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  prctl(PR_SET_DUMPABLE, 0);  // no other program of this user can read or write this process' memory (proc(5))
  return parityd::agent::run_command_line({argv, argv + argc}, std::cout, std::cerr, parityd::agent::standard_screen());
}
