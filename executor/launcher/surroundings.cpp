#include "executor/launcher/surroundings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "executor/launcher/environment.h"

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSystem{"/usr",   "/bin",    "/sbin",      "/lib",      "/lib32",
                             "/lib64", "/libx32", "/nix/store", "/gnu/store"};
/// Only the part of /etc that loaders, compilers and Python read; other files there may hold secrets.
constexpr std::array kConfiguration{
    "/etc/ld.so.cache", "/etc/ld.so.conf",    "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/ssl/openssl.cnf",
    "/etc/localtime",   "/etc/nsswitch.conf", "/etc/python3",      "/etc/OpenCL",       "/etc/crypto-policies"};
/// CUDA finds its devices here; processor features are read here, too.
constexpr std::array kKernelFolders{"/sys/devices", "/sys/bus", "/sys/class", "/sys/dev", "/sys/module"};
constexpr std::array kDevices{"null", "zero", "full", "random", "urandom"};
constexpr std::array kCompilers{"c++", "g++", "gcc", "cc", "clang++", "clang", "nvcc", "ptxas", "ld", "openssl"};
constexpr std::array kPartsOfPrefix{"bin",
                                    "lib",
                                    "lib64",
                                    "libexec",
                                    "include",
                                    "nvvm",
                                    "targets",
                                    "x86_64-conda-linux-gnu",
                                    "aarch64-conda-linux-gnu",
                                    "pyvenv.cfg"};

std::vector<fs::path> split(const std::string& list) {
  std::vector<fs::path> folders;
  std::istringstream stream(list);
  for (std::string folder; std::getline(stream, folder, ':');) {
    if (folder.starts_with('/')) folders.emplace_back(folder);
  }
  return folders;
}

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::exists(path, failed);
}

fs::path real(const fs::path& path) {
  std::error_code failed;
  const fs::path found = fs::canonical(path, failed);
  return failed ? path : found;
}

void add_prefix(TreePlan& plan, const fs::path& prefix) {
  if (prefix == "/" || prefix.empty() || plan.add_found(prefix)) return;
  for (const char* part : kPartsOfPrefix) {  // it contains something that must stay hidden
    plan.add_found(prefix / part);
  }
}

/// Folders that an installation adds to sys.path: packages installed in development mode.
void add_developed_packages(TreePlan& plan, const fs::path& prefix) {
  std::error_code failed;
  for (const auto& version : fs::directory_iterator(prefix / "lib", failed)) {
    if (!version.path().filename().string().starts_with("python3")) continue;
    for (const auto& file : fs::directory_iterator(version.path() / "site-packages", failed)) {
      std::ifstream lines(file.path().extension() == ".pth" ? file.path() : fs::path());
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('/')) plan.add_found(line);
      }
    }
  }
}

bool has_python_library(const fs::path& prefix) {
  std::error_code failed;
  const fs::directory_iterator entries(prefix / "lib", failed);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& it) { return it.path().filename().string().starts_with("python3"); });
}

/// The base installation named by a virtual environment.
fs::path base_of(const fs::path& environment) {
  std::ifstream lines(environment / "pyvenv.cfg");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("home")) {
      const auto value = line.find('/');
      return value == std::string::npos ? fs::path() : fs::path(line.substr(value)).parent_path();
    }
  }
  return {};
}

/// An interpreter and each link on the way to it: a virtual environment refers to its base by them.
void add_interpreter(TreePlan& plan, const fs::path& python) {
  fs::path hop = python;
  for (int hops = 0; hops < 10 && is_there(hop); ++hops) {
    const fs::path prefix = hop.parent_path().parent_path();
    if (is_there(prefix / "pyvenv.cfg") || has_python_library(prefix)) {
      add_prefix(plan, prefix);
      add_prefix(plan, base_of(prefix));
      add_developed_packages(plan, prefix);
    }
    plan.add(hop);
    std::error_code last;
    const fs::path target = fs::read_symlink(hop, last);
    if (last) return;
    hop = (hop.parent_path() / target).lexically_normal();
  }
}

void add_compilers(TreePlan& plan, const std::vector<fs::path>& path) {
  for (const auto& folder : path) {
    for (const char* name : kCompilers) {
      const fs::path compiler = folder / name;
      if (folder.string().starts_with("/usr/") || !is_there(compiler)) continue;
      plan.add(compiler);
      const fs::path prefix = real(compiler).parent_path().parent_path();
      for (const char* part : kPartsOfPrefix) plan.add_found(prefix / part);
    }
  }
}

bool add_devices(TreePlan& plan) {
  for (const char* name : kDevices) plan.add(fs::path("/dev") / name, Access::device);
  std::error_code failed;
  bool gpu = false;
  for (const auto& entry : fs::directory_iterator("/dev", failed)) {
    const std::string name = entry.path().filename();
    // nvidia0 …, nvidiactl, nvidia-uvm, nvidia-uvm-tools, nvidia-caps; not those that switch display modes
    if (name.starts_with("nvidia") && name != "nvidia-modeset") {
      plan.add(entry.path(), Access::device);
      gpu = gpu || name == "nvidiactl";
    }
  }
  return gpu;
}

std::vector<fs::path> hidden_folders(const Arguments& arguments) {
  std::vector<fs::path> hidden{"/root", "/home"};
  for (const fs::path& folder : {arguments.scratch, arguments.cache}) {
    if (!folder.empty()) hidden.push_back(real(folder));
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') hidden.push_back(real(home));
  return hidden;
}

}  // namespace

Surroundings look_around(const Arguments& arguments) {
  Surroundings found{.plan = TreePlan(hidden_folders(arguments))};
  TreePlan& plan = found.plan;
  for (const char* folder : kSystem) plan.add(folder);
  for (const char* file : kConfiguration) plan.add(file);
  for (const char* folder : kKernelFolders) plan.add(folder);
  const auto path = split(search_path(arguments.python));
  if (arguments.python.has_parent_path()) {
    add_interpreter(plan, arguments.python);
  } else if (!arguments.python.empty()) {
    const auto folder = std::ranges::find_if(path, [&](const fs::path& it) { return is_there(it / arguments.python); });
    if (folder != path.end()) add_interpreter(plan, *folder / arguments.python);
  }
  add_compilers(plan, path);
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  for (const auto& folder : split(libraries == nullptr ? "" : libraries)) plan.add_found(folder);
  for (const fs::path& named : {arguments.module, arguments.overlay}) {
    if (!named.empty()) plan.add(named);
  }
  // Both import their neighbours and what they share.
  for (const fs::path& folder : {arguments.sources, arguments.syntax.parent_path()}) {
    if (!folder.empty()) {
      plan.add(folder);
      plan.add_found(folder.parent_path() / "shared");
    }
  }
  if (!arguments.cache.empty()) plan.add(arguments.cache, arguments.build_cache ? Access::write : Access::read);
  plan.add(arguments.scratch, Access::write);
  found.gpu = add_devices(plan);
  return found;
}

}  // namespace parityd::launcher
