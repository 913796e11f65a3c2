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
  plan.anchors = {temporary, seen, seen / kHeaders};
  plan.folders = {seen, seen / kHeaders};
  fs::create_directories(seen / kHeaders);
  std::error_code none;
  for (const auto& folder : fs::directory_iterator(cached / kHeaders, none)) {
    if (!folder.is_directory() || folder.path().filename() == kLocks) {
      continue;
    }
    const fs::path place = seen / kHeaders / folder.path().filename();
    fs::create_directory(place);
    plan.anchors.push_back(place);
    plan.folders.push_back(place);
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.is_regular_file()) {
        share(file.path(), place / file.path().filename(), tree, plan);
      }
    }
  }
  return plan;
}

}  // namespace parityd::launcher
