#include "agent/cli/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace parityd::agent {

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) < 0 && errno == EBADF) {
      (void)!open("/dev/null", O_RDWR);  // the lowest free number, and that is this one
    }
  }
}

}  // namespace parityd::agent
