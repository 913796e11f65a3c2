#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "agent/cli/command_line.h"

int main(int argc, char** argv) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return parityd::agent::run_command_line(
      {argv, argv + argc}, std::cout, std::cerr,
      {.terminal = terminal, .colour = terminal && std::getenv("NO_COLOR") == nullptr});
}
