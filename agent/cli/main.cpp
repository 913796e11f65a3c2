#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>

#include "agent/cli/command_line.h"

namespace {

/// Those of descriptors 0, 1 and 2 that are closed become /dev/null: else the next file opened, the database, would get
/// such a number and be written to by whoever prints.
void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", O_RDWR);  // the lowest free number, and that is this one
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  prctl(PR_SET_DUMPABLE, 0);  // no program that runs as this user reads or writes this process's memory (proc(5))
  return parityd::agent::run_command_line({argv, argv + argc}, std::cout, std::cerr, parityd::agent::standard_screen());
}
