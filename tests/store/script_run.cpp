#include "tests/store/script_run.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/store/fixture.h"
#include "tests/this_build.h"

namespace parityd::tests {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ScriptRun run_script(const std::string& text) {
  const Folder folder;
  std::ofstream(folder.path() / "script.py") << text;
  const std::string command =
      fmt::format("cd {} && TORCHINDUCTOR_CACHE_DIR='{}' '{}' script.py > out 2> err", folder.path().string(),
                  (this_build::folder() / "repro-cache").string(), this_build::python_with_torch().string());
  const int status = std::system(command.c_str());
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .out = text_of(folder.path() / "out"),
          .err = text_of(folder.path() / "err")};
}

std::optional<std::string> no_torch() {
  if (this_build::python_with_torch().empty()) return "no Python with torch was configured";
  return std::nullopt;
}

}  // namespace parityd::tests
