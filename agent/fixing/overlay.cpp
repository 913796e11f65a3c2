#include "agent/fixing/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCompiled = "__pycache__";

tl::unexpected<std::string> wrong(const fs::path& file, const std::string& why) {
  return tl::unexpected(fmt::format("{}: {}", file.string(), why));
}

/// A new file must be in a package: one of torch's, or one that the overlay adds.
bool has_package(const Overlay& overlay, const fs::path& file, const fs::path& site_packages) {
  const fs::path package = file.parent_path();
  return fs::is_directory(site_packages / package) || fs::exists(overlay.folder / package / "__init__.py");
}

class Tree {
 public:
  Tree(const Overlay& overlay, fs::path site_packages, fs::path root)
      : overlay_(overlay), site_packages_(std::move(site_packages)), root_(std::move(root)) {
    for (const auto* files : {&overlay.changed, &overlay.added}) {
      for (const fs::path& file : *files) {
        files_.insert(file);
        for (fs::path folder = file.parent_path(); !folder.empty(); folder = folder.parent_path()) {
          folders_.insert(folder);
        }
      }
    }
  }

  void make() {
    make_folder(root_);
    for (const fs::path& folder : folders_) {  // parents come first
      make_folder(root_ / folder);
      link_installed(folder);
    }
    for (const fs::path& file : files_) {
      fs::copy_file(overlay_.folder / file, root_ / file);
      fs::permissions(root_ / file, fs::perms(0644));
    }
  }

 private:
  static void make_folder(const fs::path& folder) {
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms(0755));
  }

  void link_installed(const fs::path& folder) const {
    if (!fs::is_directory(site_packages_ / folder)) return;
    for (const auto& entry : fs::directory_iterator(site_packages_ / folder)) {
      const fs::path name = entry.path().filename();
      if (name == kCompiled) {
        link_compiled(folder);
      } else if (!files_.contains(folder / name) && !folders_.contains(folder / name)) {
        fs::create_symlink(entry.path(), root_ / folder / name);
      }
    }
  }

  /// Links all compiled files except those of changed sources: a compiled file is used for any source of the same size
  /// and time.
  void link_compiled(const fs::path& folder) const {
    make_folder(root_ / folder / kCompiled);
    for (const auto& entry : fs::directory_iterator(site_packages_ / folder / kCompiled)) {
      const std::string name = entry.path().filename();  // lowering.cpython-311.pyc
      if (!files_.contains(folder / (name.substr(0, name.find('.')) + ".py"))) {
        fs::create_symlink(entry.path(), root_ / folder / kCompiled / name);
      }
    }
  }

  const Overlay& overlay_;
  fs::path site_packages_, root_;
  std::set<fs::path> files_, folders_;
};

}  // namespace

tl::expected<Overlay, std::string> read_overlay(const fs::path& folder, const fs::path& torch_folder) {
  if (!fs::is_directory(folder)) return wrong(folder, "there is no such folder");
  const fs::path site_packages = torch_folder.parent_path();
  Overlay overlay{.folder = fs::absolute(folder), .changed = {}, .added = {}};
  for (auto entry = fs::recursive_directory_iterator(overlay.folder); entry != fs::recursive_directory_iterator();
       ++entry) {
    const fs::path file = entry->path().lexically_relative(overlay.folder);
    if (entry->is_directory()) {
      if (file.filename() == kCompiled) entry.disable_recursion_pending();
      continue;
    }
    if (!entry->is_regular_file() || *file.begin() != "torch" || file.extension() != ".py") {
      return wrong(entry->path(),
                   "is not a Python file of torch; an overlay has paths as in site-packages, such as "
                   "torch/_inductor/lowering.py");
    }
    if (fs::exists(site_packages / file)) {
      overlay.changed.push_back(file);
    } else if (has_package(overlay, file, site_packages)) {
      overlay.added.push_back(file);
    } else {
      return wrong(entry->path(), fmt::format("there is no package {} in {}, and the overlay does not create one",
                                              file.parent_path().string(), site_packages.string()));
    }
  }
  if (overlay.changed.empty() && overlay.added.empty()) {
    return wrong(folder, "contains no Python file of torch, such as torch/_inductor/lowering.py");
  }
  std::ranges::sort(overlay.changed);
  std::ranges::sort(overlay.added);
  return overlay;
}

void write_overlay(const Patch& patch, const fs::path& folder) {
  for (const ChangedFile& file : patch.files) {
    fs::create_directories((folder / file.path).parent_path());
    std::ofstream stream;
    stream.exceptions(std::ios::failbit | std::ios::badbit);
    stream.open(folder / file.path, std::ios::binary);
    stream << file.after;
    stream.close();
  }
}

void make_overlay_tree(const Overlay& overlay, const fs::path& torch_folder, const fs::path& tree) {
  Tree(overlay, torch_folder.parent_path(), tree).make();
}

}  // namespace parityd::agent
