#include <iostream>

#include "agent/cli/command_line.h"
#include "agent/cli/standard_descriptors.h"

int main(int argc, char** argv) {
  parityd::agent::open_standard_descriptors();
  return parityd::agent::run_command_line({argv, argv + argc}, std::cout, std::cerr, parityd::agent::standard_screen());
}
