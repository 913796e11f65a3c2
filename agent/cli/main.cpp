#include <sys/prctl.h>

#include <iostream>

#include "agent/cli/command_line.h"
#include "agent/cli/standard_descriptors.h"

int main(int argc, char** argv) {
  parityd::agent::open_standard_descriptors();
  prctl(PR_SET_DUMPABLE, 0);  // no program that runs as this user reads or writes this process's memory (proc(5))
  return parityd::agent::run_command_line({argv, argv + argc}, std::cout, std::cerr, parityd::agent::standard_screen());
}
