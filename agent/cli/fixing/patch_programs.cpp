#include "agent/cli/fixing/patch_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "agent/cli/installation.h"
#include "agent/cli/reading.h"

namespace parityd::agent {

namespace fs = std::filesystem;

std::vector<PatchCase> shipped_programs() {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(find_installation().prompts / "corpus", missing)) {
    if (entry.path().extension() == ".py") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<PatchCase> programs;
  for (const auto& file : files) {
    if (auto text = text_of_file(file)) programs.push_back({.name = file.filename(), .text = std::move(*text)});
  }
  return programs;
}

PatchCase stored_program(const store::ProgramRow& row) {
  return {.name = fmt::format("program {}", row.id), .text = row.text, .options_json = row.options_json};
}

}  // namespace parityd::agent
