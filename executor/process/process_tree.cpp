#include "executor/process/process_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <iterator>
#include <set>
#include <sstream>

#include "executor/confine/descriptor.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;
constexpr int kPasses = 16;  // more than any chain of forks that outruns a kill; bounds the loop

void append_children(pid_t parent, std::vector<pid_t>& found) {
  std::error_code gone;
  const fs::path tasks = "/proc/" + std::to_string(parent) + "/task";
  for (fs::directory_iterator task(tasks, gone), end; !gone && task != end; task.increment(gone)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; children >> child;) found.push_back(child);
  }
}

/// Ended and not waited for, about to end, or with SIGKILL pending: it runs no more of its program.
bool is_over(pid_t pid) {
  const auto stat = ProcessStat::of(pid);
  if (!stat) return true;
  constexpr std::size_t kFlags = 9, kThreads = 20, kPending = 31;  // fields of proc_pid_stat(5)
  constexpr std::uint64_t kExiting = 0x4;                          // PF_EXITING of the kernel's sched.h
  const bool ended = stat->ended() || (stat->number(kFlags) & kExiting) != 0;
  const bool killed = (stat->number(kPending) & (1UL << (SIGKILL - 1))) != 0;  // and with it all its threads
  return killed || (ended && stat->number(kThreads) <= 1);  // a program's first thread may end before the others
}

constexpr std::size_t kFirstField = 3;  // the fields before it are the number and the name

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> found;
  append_children(root, found);
  for (std::size_t next = 0; next < found.size(); ++next) append_children(found[next], found);
  return found;
}

std::vector<pid_t> living_descendants(pid_t root) {
  auto found = descendants(root);
  std::erase_if(found, is_over);
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

std::optional<ProcessStat> ProcessStat::of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  return read(stat);
}

/// Uses getline, which turns a failed read into a bad stream; a buffer iterator would throw.
std::optional<ProcessStat> ProcessStat::read(std::istream& stat) {
  std::string text;
  std::getline(stat, text, '\0');
  const auto name_end = text.rfind(')');  // a program chooses its own name, brackets included
  if (stat.bad() || name_end == std::string::npos) return std::nullopt;
  std::istringstream words(text.substr(name_end + 1));
  ProcessStat found;
  found.fields_.assign(std::istream_iterator<std::string>(words), {});
  return found.fields_.empty() ? std::nullopt : std::optional(found);
}

bool ProcessStat::ended() const { return fields_.front() == "Z" || fields_.front() == "X"; }

std::uint64_t ProcessStat::number(std::size_t field) const {
  const std::size_t index = field - kFirstField;
  return index < fields_.size() ? std::strtoull(fields_[index].c_str(), nullptr, 10) : 0;
}

void go_first_when_memory_ends(pid_t pid) {
  const Descriptor score(open(("/proc/" + std::to_string(pid) + "/oom_score_adj").c_str(), O_WRONLY | O_CLOEXEC));
  if (score.open()) (void)!::write(score.number(), "1000", 4);
}

}  // namespace parityd::executor
