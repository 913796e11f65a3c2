// One command through the whole command line, for tests.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "agent/cli/command_line.h"
#include "tests/text.h"

namespace parityd::tests {

struct Ran {
  int exit_code = 0;
  std::string out, err;
};

/// `config`: empty for the default place.
inline Ran run_command(const std::filesystem::path& state, const std::vector<std::string>& words,
                       const std::filesystem::path& config = {}) {
  std::vector<std::string> all{"parityd", "--state", state.string()};
  if (!config.empty()) all.insert(all.end(), {"--config", config.string()});
  all.insert(all.end(), words.begin(), words.end());
  std::ostringstream out, err;
  const int code = agent::run_command_line(all, out, err);
  return {.exit_code = code, .out = out.str(), .err = err.str()};
}

}  // namespace parityd::tests
