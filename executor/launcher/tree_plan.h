// Contents of a program's private tree: a list of folders and files of this machine, each at its own path. Reads the
// file system, changes nothing. One thread.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

namespace parityd::launcher {

enum class Access { read, write, device };

class TreePlan {
 public:
  /// `hidden`: folders (home, scratch, caches) that no folder added by add_found() may reveal.
  explicit TreePlan(std::vector<std::filesystem::path> hidden) : hidden_(std::move(hidden)) {}

  /// Follows the links on the way and adds them to the plan. Skipped if it does not exist.
  void add(const std::filesystem::path& path, Access access = Access::read);
  /// The same for a folder that the environment or an installation named, unless it contains a hidden one. False: it
  /// does.
  bool add_found(const std::filesystem::path& path);

  /// Folders and files to bind, parents first, without those inside another of the same access.
  [[nodiscard]] std::map<std::filesystem::path, Access> binds() const;
  /// Links to make, with their targets.
  [[nodiscard]] std::map<std::filesystem::path, std::filesystem::path> links() const;

 private:
  [[nodiscard]] bool lies_in_folder(const std::filesystem::path& path) const;

  std::vector<std::filesystem::path> hidden_;
  std::map<std::filesystem::path, Access> binds_;
  std::map<std::filesystem::path, std::filesystem::path> links_;
};

}  // namespace parityd::launcher
