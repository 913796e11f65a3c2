#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "agent/cli/command_line.h"
#include "agent/cli/standard_descriptors.h"

int main(int argc, char** argv) {
  parityd::agent::open_standard_descriptors();
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return parityd::agent::run_command_line(
      {argv, argv + argc}, std::cout, std::cerr,
      {.terminal = terminal, .colour = terminal && std::getenv("NO_COLOR") == nullptr});
}
