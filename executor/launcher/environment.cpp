#include "executor/launcher/environment.h"

#include <array>
#include <cstdlib>
#include <fstream>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

void add_compiler_settings(const Arguments& arguments, std::vector<std::string>& environment) {
  const auto add = [&](const char* name, const std::string& value) {
    environment.push_back(std::string(name) + "=" + value);
  };
  add("OMP_NUM_THREADS", "1");        // until a program asks for more
  add("OMP_WAIT_POLICY", "PASSIVE");  // there may be more threads than processors, so none spins while it waits
  add("TORCHINDUCTOR_COMPILE_THREADS", "1");
  add("TORCH_WARM_POOL", "0");
  add("TORCHINDUCTOR_CACHE_DIR", arguments.scratch / "inductor");
  add("TRITON_CACHE_DIR", arguments.scratch / "triton");
  add("TORCHINDUCTOR_FX_GRAPH_CACHE", "0");  // a cached graph hides the compiler's bugs and its coverage
  add("TORCHINDUCTOR_AUTOGRAD_CACHE", "0");
  add("CUDA_DEVICE_ORDER", "PCI_BUS_ID");     // CUDA_VISIBLE_DEVICES counts as nvidia-smi does
  add("PYTORCH_NVML_BASED_CUDA_CHECK", "1");  // so that a check for CUDA does not initialise it before a fork
  if (!arguments.overlay.empty()) {
    add("PYTHONPATH", arguments.overlay);  // before the installed packages, also in every Python that torch starts
  }
  add("PARITYD_MODULE", arguments.module);
  add("PARITYD_CACHE", arguments.cache);
  for (const char* passed : std::array{"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(passed); value != nullptr) add(passed, value);
  }
}

namespace fs = std::filesystem;

constexpr const char* kHeaders = "precompiled_headers";
constexpr const char* kLocks = "locks";

void share(const fs::path& cached, const fs::path& seen, bool tree, HeaderPlan& plan) {
  if (tree) {
    const std::ofstream place(seen);
    plan.files.emplace_back(cached, seen);
  } else {
    fs::create_symlink(cached, seen);
  }
}

/// Some versions of torch keep their headers in one folder, others give each header its own. Each worker has its own
/// locks.
void share_folder(const fs::path& cached, const fs::path& seen, bool tree, HeaderPlan& plan) {
  fs::create_directories(seen);
  plan.anchors.push_back(seen);
  plan.folders.push_back(seen);
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cached, none)) {
    const fs::path place = seen / entry.path().filename();
    if (entry.is_directory() && entry.path().filename() != kLocks) {
      share_folder(entry.path(), place, tree, plan);
    } else if (entry.is_regular_file()) {
      share(entry.path(), place, tree, plan);
    }
  }
}

}  // namespace

std::string search_path(const fs::path& python) {
  const char* inherited = std::getenv("PATH");
  std::string path = inherited != nullptr && *inherited != '\0' ? inherited : kUsualPath;
  if (python.has_parent_path()) path += ":" + python.parent_path().string();
  return path;
}

std::vector<std::string> make_environment(const Arguments& arguments) {
  std::vector<std::string> environment{
      "PATH=" + search_path(arguments.python),
      "HOME=" + (arguments.scratch / "home").string(),
      "TMPDIR=" + (arguments.scratch / "tmp").string(),
      std::string("USER=") + kUser,
      "LC_ALL=C.UTF-8",
      "TZ=UTC",
      "PYTHONHASHSEED=0",
      // As `-I` does, except for the hash seed, which `-I` would ignore.
      "PYTHONNOUSERSITE=1",
      "PYTHONSAFEPATH=1",
      "PARITYD_IN=" + std::to_string(kInputDescriptor),
      "PARITYD_OUT=" + std::to_string(kOutputDescriptor),
  };
  if (arguments.worker()) add_compiler_settings(arguments, environment);
  return environment;
}

std::vector<fs::path> make_folders(const Arguments& arguments) {
  fs::create_directories(arguments.scratch);
  std::vector<fs::path> folders{arguments.scratch};
  std::vector<const char*> names{"home", "tmp"};
  if (arguments.worker()) {
    names.insert(names.end(), {"inductor", "triton", "jobs"});
    fs::create_directories(arguments.cache);
  }
  for (const char* name : names) {
    const fs::path folder = arguments.scratch / name;
    if (!fs::is_directory(fs::symlink_status(folder))) {
      fs::remove(folder);
      fs::create_directory(folder);
    }
    folders.push_back(folder);
  }
  return folders;
}

HeaderPlan prepare_header(const Arguments& arguments, bool tree) {
  HeaderPlan plan;
  const fs::path temporary = arguments.scratch / "tmp";
  const fs::path seen = temporary / (std::string("torchinductor_") + kUser);
  const fs::path cached = arguments.cache / "inductor";
  fs::remove_all(seen);  // an earlier worker's
  if (arguments.build_cache) {
    fs::create_directories(cached);
    if (tree) {
      fs::create_directory(seen);
      plan.whole = {cached, seen};
    } else {
      fs::create_directory_symlink(cached, seen);
    }
    return plan;
  }
  fs::create_directory(seen);
  plan.anchors = {temporary, seen};
  plan.folders = {seen};
  share_folder(cached / kHeaders, seen / kHeaders, tree, plan);
  return plan;
}

}  // namespace parityd::launcher
