#include "executor/launcher/mount_tree.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "executor/confine/privileges.h"
#include "executor/launcher/identity.h"

namespace parityd::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStage = "/proc";  // any existing folder: after pivot_root it shows again in the old tree
constexpr const char* kOld = "/.old";
constexpr int kDeepest = 4;

struct Attributes {  // mount_attr; sys/mount.h and linux/mount.h cannot be included together everywhere
  std::uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};
constexpr std::uint64_t kReadOnly = 1, kNoSetUid = 2, kNoDevices = 4, kNoExecution = 8;

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void mount_or_throw(const char* source, const fs::path& target, const char* type, unsigned long flags,
                    const char* data = nullptr) {
  if (mount(source, target.c_str(), type, flags, data) != 0) {
    fail(std::string(type == nullptr ? "mounting " : type) + " " + target.string());
  }
}

void set_attributes(const fs::path& target, std::uint64_t set, bool below = true) {
  const Attributes attributes{.set = set};
  if (syscall(SYS_mount_setattr, AT_FDCWD, target.c_str(), below ? AT_RECURSIVE : 0, &attributes, sizeof attributes) !=
      0) {
    fail("mount_setattr " + target.string());
  }
}

std::uint64_t attributes_for(Access access) {
  switch (access) {
    case Access::read:
      return kReadOnly | kNoSetUid | kNoDevices;
    case Access::write:
      return kNoSetUid | kNoDevices;
    case Access::device:
      break;
  }
  return kNoSetUid | kNoExecution;
}

class Tree {
 public:
  explicit Tree(const TreeOptions& options) : options_(options), binds_(options.plan.binds()) {}

  void build() {
    leave_old_tree_aside();
    make_memory_folders();
    make_device_links();
    make_configuration();
    for (const auto& [link, target] : options_.plan.links()) {
      fs::create_directories(link.parent_path());
      fs::create_symlink(target, link);
    }
    for (const auto& [path, access] : binds_) bind_readable(kOld + path.string(), path, access, 0);
    share_header();
  }

  void mount_proc() const {
    fs::create_directory("/proc");
    if (options_.fresh_proc) {
      if (confine::mount_own_proc() != 0) fail("proc /proc");
    } else {
      bind(kOld + std::string("/proc"), "/proc", kNoSetUid | kNoDevices | kNoExecution);
    }
  }

  static void finish() {
    if (umount2(kOld, MNT_DETACH) != 0) fail("leaving the old tree");
    fs::remove(kOld);
    set_attributes("/", kReadOnly | kNoSetUid | kNoDevices, false);
  }

 private:
  static void leave_old_tree_aside() {
    mount_or_throw("parityd", kStage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m,nr_inodes=8192");
    const std::string old = std::string(kStage) + kOld;
    fs::create_directory(old);
    if (syscall(SYS_pivot_root, kStage, old.c_str()) != 0) fail("pivot_root");
    fs::current_path("/");
  }

  void make_memory_folders() const {
    for (const char* folder : {"/dev/shm", "/var", "/tmp"}) {
      fs::create_directories(folder);
    }
    fs::create_symlink("/tmp", "/var/tmp");
    for (const auto& [path, options] : memory_folders(options_.plan)) {
      mount_or_throw("parityd", path, "tmpfs", MS_NOSUID | MS_NODEV, options.c_str());
    }
  }

  static void make_device_links() {
    for (const auto& [link, target] : {std::pair{"fd", "/proc/self/fd"},
                                       {"stdin", "/proc/self/fd/0"},
                                       {"stdout", "/proc/self/fd/1"},
                                       {"stderr", "/proc/self/fd/2"}}) {
      fs::create_symlink(target, fs::path("/dev") / link);
    }
  }

  void make_configuration() const {
    fs::create_directory("/etc");
    const auto user = std::to_string(options_.program.value_or(geteuid()));
    std::ofstream("/etc/passwd") << kUser << ":x:" << user << ":" << user << "::/:/bin/false\n";
    std::ofstream("/etc/group") << kUser << ":x:" << user << ":\n";
  }

  [[nodiscard]] bool entered_by_program(const struct stat& what) const {
    constexpr mode_t kEnter = S_IROTH | S_IXOTH;
    return !options_.program || what.st_uid == *options_.program || (what.st_mode & kEnter) == kEnter;
  }

  /// A folder that only root may enter is replaced by a new one with the same contents.
  void bind_readable(const fs::path& source, const fs::path& target, Access access, int depth) const {
    struct stat what {};
    if (lstat(source.c_str(), &what) != 0) return;
    if (S_ISLNK(what.st_mode)) {
      fs::create_symlink(fs::read_symlink(source), target);
    } else if (S_ISDIR(what.st_mode) && access == Access::read && depth < kDeepest && !entered_by_program(what)) {
      fs::create_directories(target);
      for (const auto& entry : fs::directory_iterator(source)) {
        bind_readable(entry.path(), target / entry.path().filename(), access, depth + 1);
      }
    } else {
      make_place(target, S_ISDIR(what.st_mode));
      bind(source, target, attributes_for(access));
    }
  }

  static void make_place(const fs::path& target, bool folder) {
    fs::create_directories(folder ? target : target.parent_path());
    if (!folder && !fs::exists(target)) {
      const std::ofstream place(target);
    }
  }

  static void bind(const fs::path& source, const fs::path& target, std::uint64_t attributes) {
    mount_or_throw(source.c_str(), target, nullptr, MS_BIND | MS_REC);
    set_attributes(target, attributes);
  }

  void share_header() const {
    const HeaderPlan& header = options_.header;
    for (const auto& folder : header.anchors) bind(folder, folder, attributes_for(Access::write));
    for (const auto& [cached, seen] : header.files) bind(kOld + cached.string(), seen, attributes_for(Access::read));
    if (!header.whole.first.empty()) bind(header.whole.first, header.whole.second, attributes_for(Access::write));
  }

  const TreeOptions& options_;
  std::map<fs::path, Access> binds_;
};

}  // namespace

std::vector<confine::MemoryFolder> memory_folders(const TreePlan& plan) {
  std::vector<confine::MemoryFolder> folders{{.path = "/dev/shm", .options = "mode=1777,size=1g,nr_inodes=4096"}};
  // If something below it has to be visible, /tmp stays read-only, so that nothing can move that away. TMPDIR is in
  // scratch.
  const auto below = [](const auto& it) { return it.first.string().starts_with("/tmp/"); };
  if (std::ranges::none_of(plan.binds(), below) && std::ranges::none_of(plan.links(), below)) {
    folders.push_back({.path = "/tmp", .options = "mode=1777,size=256m,nr_inodes=16384"});
  }
  return folders;
}

std::optional<Setback> enter_private_tree(const TreeOptions& options) {
  const mode_t mask = umask(022);
  Layer missing = Layer::mount;
  try {
    Tree tree(options);
    tree.build();
    missing = options.fresh_proc ? Layer::pid : Layer::mount;
    tree.mount_proc();
    missing = Layer::mount;
    Tree::finish();
  } catch (const std::exception& failure) {
    return Setback{missing, failure.what()};
  }
  umask(mask);
  return std::nullopt;
}

}  // namespace parityd::launcher
