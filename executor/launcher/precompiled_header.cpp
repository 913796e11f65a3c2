#include "executor/launcher/precompiled_header.h"

#include <fstream>

#include "executor/launcher/environment.h"

namespace parityd::launcher {
namespace {

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

/// Some torches keep their headers in one folder, others each in a folder of its own. Locks are each worker's own.
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
