#include "executor/process/process_record.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "executor/process/process_tree.h"

namespace parityd::executor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::seconds kEndOfAsked{2};  // for processes that were sent SIGTERM

/// The part of /proc/PID/stat that identifies a process beyond its number.
struct Facts {
  pid_t group = 0, session = 0;
  std::uint64_t start = 0;
};

std::optional<Facts> facts_of(pid_t pid) {
  constexpr std::size_t kGroup = 5, kSession = 6, kStart = 22;  // fields of proc_pid_stat(5)
  const auto stat = ProcessStat::of(pid);
  if (!stat || stat->ended()) return std::nullopt;
  return Facts{.group = static_cast<pid_t>(stat->number(kGroup)),
               .session = static_cast<pid_t>(stat->number(kSession)),
               .start = stat->number(kStart)};
}

struct Record {
  pid_t pid = 0, session = 0;
  std::uint64_t start = 0;
  std::string boot;
};

/// Ticks count from boot: after a reboot nothing of the old records is left running.
std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::optional<Record> read(const fs::path& file) {
  std::ifstream stream(file);
  Record record;
  stream >> record.pid >> record.session >> record.start >> record.boot;
  return stream && record.pid > 1 ? std::optional(record) : std::nullopt;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> all;
  std::error_code gone;
  for (fs::directory_iterator entry("/proc", gone), end; !gone && entry != end; entry.increment(gone)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc{} && rest == name.data() + name.size()) {
      all.push_back(pid);
    }
  }
  return all;
}

/// Members of groups whose leaders have ended, found in one pass over all processes: hundreds of workers have hundreds.
/// A leader's number stays taken while its group lives; a group whose leader got the number later is of another session
/// or has a living leader.
std::vector<pid_t> members_left(const std::vector<Record>& records) {
  std::map<pid_t, const Record*> groups;
  for (const Record& record : records) {
    if (!facts_of(record.pid)) groups[record.pid] = &record;
  }
  std::vector<pid_t> left;
  for (const pid_t pid : groups.empty() ? std::vector<pid_t>{} : all_processes()) {
    const auto facts = facts_of(pid);
    const auto of = facts ? groups.find(facts->group) : groups.end();
    if (of != groups.end() && facts->session == of->second->session && facts->start >= of->second->start) {
      left.push_back(pid);
    }
  }
  return left;
}

/// The recorded process and everything below it, killed; empty if it has ended.
std::vector<pid_t> kill_tree_of(const Record& record) {
  if (start_stamp(record.pid) != record.start) return {};
  kill(-record.pid, SIGSTOP);  // or it might start more when its children die
  std::vector<pid_t> killed = living_descendants(record.pid);
  killed.push_back(record.pid);
  kill_descendants(record.pid);
  kill(-record.pid, SIGKILL);
  kill(record.pid, SIGKILL);
  return killed;
}

std::vector<pid_t> kill_members_of(const std::vector<Record>& records) {
  std::vector<pid_t> killed = members_left(records);
  for (const pid_t pid : killed) kill(pid, SIGKILL);
  return killed;
}

/// Sends SIGTERM to those of the record and returns them. A launch prefix passes it on to what it started elsewhere, or
/// withdraws what it is still waiting for; if killed, it would leave that behind.
std::vector<pid_t> ask_to_end(const Record& record) {
  if (start_stamp(record.pid) != record.start) return {};
  std::vector<pid_t> asked = living_descendants(record.pid);
  asked.push_back(record.pid);
  kill(-record.pid, SIGTERM);
  return asked;
}

void wait_until_gone(const std::vector<pid_t>& pids, std::chrono::seconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::any_of(pids.begin(), pids.end(), [](pid_t pid) { return start_stamp(pid).has_value(); }) &&
         std::chrono::steady_clock::now() < until) {
    poll(nullptr, 0, 10);
  }
}

}  // namespace

std::optional<std::uint64_t> start_stamp(pid_t pid) {
  const auto facts = facts_of(pid);
  return facts ? std::optional(facts->start) : std::nullopt;
}

ProcessRecord::ProcessRecord(const fs::path& folder, pid_t pid) {
  const auto facts = folder.empty() ? std::nullopt : facts_of(pid);
  if (!facts) return;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  file_ = folder / std::to_string(pid);
  std::ofstream(file_) << pid << " " << facts->session << " " << facts->start << " " << boot_id() << "\n";
}

ProcessRecord::~ProcessRecord() {
  if (!file_.empty()) {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
}

std::vector<pid_t> kill_leftovers(const fs::path& folder) {
  std::vector<Record> records;
  std::vector<pid_t> ended;
  const auto add = [&](const std::vector<pid_t>& more) { ended.insert(ended.end(), more.begin(), more.end()); };
  const std::string boot = boot_id();
  std::error_code missing;
  for (fs::directory_iterator entry(folder, missing), end; !missing && entry != end; entry.increment(missing)) {
    if (const auto record = read(entry->path()); record && record->boot == boot) {
      records.push_back(*record);
      add(ask_to_end(*record));
    }
  }
  wait_until_gone(ended, kEndOfAsked);
  for (const Record& record : records) add(kill_tree_of(record));
  add(kill_members_of(records));
  wait_until_gone(ended, kPatience);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  std::ranges::sort(ended);
  ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
  return ended;
}

}  // namespace parityd::executor
