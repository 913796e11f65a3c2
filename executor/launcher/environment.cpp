#include "executor/launcher/environment.h"

#include <array>
#include <cstdlib>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUser = "parityd";
constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The compilers are found where the operator's PATH has them; then those beside the interpreter (a conda
/// environment's).
std::string search_path(const fs::path& python) {
  const char* inherited = std::getenv("PATH");
  std::string path = inherited != nullptr && *inherited != '\0' ? inherited : kUsualPath;
  if (python.has_parent_path()) {
    path += ":" + python.parent_path().string();
  }
  return path;
}

void add_compiler_settings(const Arguments& arguments, std::vector<std::string>& environment) {
  const auto add = [&](const char* name, const std::string& value) {
    environment.push_back(std::string(name) + "=" + value);
  };
  add("OMP_NUM_THREADS", "1");
  add("TORCHINDUCTOR_COMPILE_THREADS", "1");
  add("TORCH_WARM_POOL", "0");
  add("TORCHINDUCTOR_CACHE_DIR", arguments.scratch / "inductor");
  add("TRITON_CACHE_DIR", arguments.scratch / "triton");
  add("TORCHINDUCTOR_FX_GRAPH_CACHE", "0");  // a cached graph hides the compiler's bugs and its coverage
  add("TORCHINDUCTOR_AUTOGRAD_CACHE", "0");
  add("PYTORCH_NVML_BASED_CUDA_CHECK", "1");  // so that asking for CUDA does not initialise it before a fork
  add("PARITYD_MODULE", arguments.module);
  add("PARITYD_CACHE", arguments.cache);
  for (const char* passed : std::array{"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(passed); value != nullptr) {
      add(passed, value);
    }
  }
}

void make_link(const fs::path& target, const fs::path& link) {
  std::error_code absent;
  if (fs::read_symlink(link, absent) != target) {
    fs::remove_all(link);
    fs::create_directory_symlink(target, link);
  }
}

}  // namespace

std::vector<std::string> make_environment(const Arguments& arguments) {
  std::vector<std::string> environment{
      "PATH=" + search_path(arguments.python),
      "HOME=" + (arguments.scratch / "home").string(),
      "TMPDIR=" + (arguments.scratch / "tmp").string(),
      std::string("USER=") + kUser,
      "LC_ALL=C.UTF-8",
      "TZ=UTC",
      "PYTHONHASHSEED=0",
      // What `-I` would do, but for the hash seed, which `-I` would ignore.
      "PYTHONNOUSERSITE=1",
      "PYTHONSAFEPATH=1",
      "PARITYD_IN=" + std::to_string(kInputDescriptor),
      "PARITYD_OUT=" + std::to_string(kOutputDescriptor),
  };
  if (arguments.syntax.empty()) {
    add_compiler_settings(arguments, environment);
  }
  return environment;
}

void make_folders(const Arguments& arguments) {
  for (const char* folder : {"home", "tmp"}) {
    fs::create_directories(arguments.scratch / folder);
  }
  if (!arguments.syntax.empty()) {
    return;
  }
  // Inductor keeps its precompiled header (150 MB, 15 to 50 s to build) below the temporary folder whatever its cache
  // variable says. One copy serves every worker of one build.
  const fs::path shared = arguments.cache / "inductor";
  fs::create_directories(shared);
  make_link(shared, arguments.scratch / "tmp" / (std::string("torchinductor_") + kUser));
  // What the compiler wrote while the first worker was primed, before any program ran: the vector-instruction probes.
  const fs::path seed = arguments.cache / "seed";
  const fs::path own = arguments.scratch / "inductor";
  if (fs::exists(seed) && !fs::exists(own)) {
    fs::copy(seed, own, fs::copy_options::recursive);
  }
  fs::create_directories(own);
}

}  // namespace parityd::launcher
