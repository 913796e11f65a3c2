#include "executor/process_tree.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;
constexpr int kPasses = 16;  // more than any chain of forks that outruns a kill, and an end for the loop

void append_children(pid_t parent, std::vector<pid_t>& found) {
  std::error_code gone;
  const fs::path tasks = "/proc/" + std::to_string(parent) + "/task";
  for (fs::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) {
      found.push_back(child);
    }
  }
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  append_children(root, found);
  for (std::size_t next = 0; next < found.size(); ++next) {
    append_children(found[next], found);
  }
  return found;
}

void kill_descendants(pid_t root) { kill_descendants_but(root, {}); }

void kill_descendants_but(pid_t root, const std::vector<pid_t>& spared) {
  std::set<pid_t> killed(spared.begin(), spared.end());
  bool more = true;
  for (int pass = 0; more && pass < kPasses; ++pass) {
    more = false;
    for (const pid_t pid : descendants(root)) {
      if (killed.insert(pid).second) {
        kill(pid, SIGKILL);
        more = true;
      }
    }
  }
}

}  // namespace parityd::executor
