#include "executor/worker_sources.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

bool is_compiled(const fs::path& file) {
  return file.extension() == ".cpp" || file.extension() == ".h" || file.extension() == ".cu" ||
         file.extension() == ".cuh" || file.extension() == ".cmake" || file.filename() == "CMakeLists.txt" ||
         file.filename() == "torch_facts.py" || file.filename() == "modes.json";
}

void append_folder(const fs::path& folder, std::string& all) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_compiled(entry.path())) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    all += fs::relative(file, folder).string() + '\0';
    all.append(std::istreambuf_iterator<char>(stream), {});
    all += '\0';
  }
}

}  // namespace

const char* const kTorchFacts = R"python(
import importlib.util, json, os, platform, sys, sysconfig
include = sysconfig.get_path("include")
facts = {"torch": None, "executable": sys.executable, "python_version": platform.python_version(), "include": include,
         "headers": os.path.exists(os.path.join(include, "Python.h")), "cuda": False}
spec = importlib.util.find_spec("torch")
if spec is not None and spec.origin is not None:
    file = os.path.join(os.path.dirname(spec.origin), "version.py")
    version = {}
    with open(file, encoding="utf-8") as source:
        exec(source.read(), version)
    facts.update(torch=str(version["__version__"]), cuda=version.get("cuda") is not None, torch_version_file=file)
print(json.dumps(facts))
)python";

std::string worker_source_hash(const WorkerBuildPlaces& places) {
  std::string all;
  append_folder(places.sources, all);
  append_folder(places.oracle, all);
  append_folder(places.sources.parent_path() / "confine", all);
  append_folder(places.sources.parent_path() / "shared", all);
  return short_hash(all);
}

std::string short_hash(std::string_view text) { return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size())); }

}  // namespace parityd::executor
