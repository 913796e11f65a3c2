#include "executor/launcher/tree_plan.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <system_error>

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;
constexpr int kMostLinks = 40;  // as many as the kernel follows

bool contains(const fs::path& folder, const fs::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

void TreePlan::add(const fs::path& path, Access access) {
  std::deque<fs::path> left(path.begin(), path.end());
  fs::path done = "/";
  int links = 0;
  while (!left.empty()) {
    const fs::path part = left.front();
    left.pop_front();
    if (part == "/" || part == "." || part.empty()) continue;
    if (part == "..") {
      done = done.parent_path();
      continue;
    }
    std::error_code failed;
    const auto status = fs::symlink_status(done / part, failed);
    if (failed || !fs::exists(status) || links > kMostLinks) return;
    if (!fs::is_symlink(status)) {
      done /= part;
      continue;
    }
    const fs::path target = fs::read_symlink(done / part, failed);
    links_[done / part] = target;
    left.insert(left.begin(), target.begin(), target.end());
    done = target.is_absolute() ? fs::path("/") : done;
    ++links;
  }
  if (done != "/") {
    auto& granted = binds_.try_emplace(done, access).first->second;
    granted = std::max(granted, access);
  }
}

bool TreePlan::add_found(const fs::path& path) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  if (failed || std::ranges::any_of(hidden_, [&](const fs::path& it) { return contains(real, it); })) {
    return false;
  }
  add(path);
  return true;
}

std::map<fs::path, Access> TreePlan::binds() const {
  std::map<fs::path, Access> needed;
  for (const auto& [path, access] : binds_) {
    auto nearest = needed.end();
    for (fs::path above = path.parent_path(); nearest == needed.end() && above != "/"; above = above.parent_path()) {
      nearest = needed.find(above);
    }
    if (nearest == needed.end() || nearest->second != access || access == Access::device) needed.emplace(path, access);
  }
  return needed;
}

bool TreePlan::lies_in_folder(const fs::path& path) const {
  return std::ranges::any_of(binds_, [&](const auto& it) { return contains(it.first, path); });
}

std::map<fs::path, fs::path> TreePlan::links() const {
  std::map<fs::path, fs::path> needed;
  std::ranges::copy_if(links_, std::inserter(needed, needed.end()),
                       [&](const auto& it) { return !lies_in_folder(it.first); });
  return needed;
}

}  // namespace parityd::launcher
