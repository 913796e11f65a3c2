#include "executor/confine/child_room.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "executor/confine/privileges.h"

namespace parityd::confine {
namespace {

namespace fs = std::filesystem;
using executor::Descriptor;

constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV;

struct Refused : std::system_error {
  explicit Refused(const std::string& what) : std::system_error(errno, std::generic_category(), what) {}
};

void mount_memory(const MemoryFolder& folder) {
  if (mount("parityd", folder.path.c_str(), "tmpfs", kPlain, folder.options.c_str()) != 0) {
    throw Refused("tmpfs " + folder.path.string());
  }
}

/// Hides all job folders except its own behind a read-only folder in memory.
void show_own_job_alone(const fs::path& jobs, const fs::path& own) {
  const Descriptor folder(open(own.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.open()) throw Refused(own.string());
  mount_memory({.path = jobs, .options = "mode=0755,size=16k,nr_inodes=16"});
  const std::string held = "/proc/self/fd/" + std::to_string(folder.number());
  if (mkdir(own.c_str(), S_IRWXU) != 0 || mount(held.c_str(), own.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      mount(nullptr, jobs.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | kPlain, nullptr) != 0) {
    throw Refused("showing " + own.string() + " alone");
  }
}

void enter_own_namespaces(const ChildRoom& room, const fs::path& own) {
  if (unshare(CLONE_NEWNS | CLONE_NEWIPC) != 0) throw Refused("unshare");
  if (mount_own_proc() != 0) throw Refused("proc");
  for (const MemoryFolder& folder : room.memory) mount_memory(folder);
  show_own_job_alone(room.jobs, own);
}

std::string load_filter(const std::vector<std::uint8_t>& filter) {
  std::vector<sock_filter> instructions(filter.size() / sizeof(sock_filter));
  std::memcpy(instructions.data(), filter.data(), instructions.size() * sizeof(sock_filter));
  const pid_t parent = getppid();
  for (sock_filter& instruction : instructions) {
    for (const auto& [place, number] : {std::pair{kParentsPlace, parent}, std::pair{-kParentsPlace, -parent}}) {
      if (instruction.k == static_cast<std::uint32_t>(place)) instruction.k = static_cast<std::uint32_t>(number);
    }
  }
  const sock_fprog program{.len = static_cast<unsigned short>(instructions.size()), .filter = instructions.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? "" : std::strerror(errno);
}

std::optional<RoomRefusal> refused(RoomPart part, std::string why) {
  return why.empty() ? std::nullopt : std::optional(RoomRefusal{part, std::move(why)});
}

std::optional<RoomRefusal> confine_for_good(const ChildRoom& room) {
  std::optional<RoomRefusal> refusal;
  if (room.user) refusal = refused(RoomPart::user, enter_user_namespace());
  if (!refusal) refusal = refused(RoomPart::user, drop_capabilities());
  if (!refusal && room.paths) refusal = refused(RoomPart::landlock, confine_paths(*room.paths));
  if (!refusal && !room.filter.empty()) refusal = refused(RoomPart::seccomp, load_filter(room.filter));
  return refusal;
}

namespace fs = std::filesystem;
using nlohmann::json;

json texts(const std::vector<fs::path>& paths) {
  json list = json::array();
  for (const fs::path& path : paths) list.push_back(path.string());
  return list;
}

std::vector<fs::path> paths_in(const json& list) {
  std::vector<fs::path> paths;
  for (const auto& text : list) paths.emplace_back(text.get<std::string>());
  return paths;
}

}  // namespace

ChildForks::ChildForks(const ChildRoom& room)
    : own_processes_(room.processes ? open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC) : -1) {
  if (room.processes && !own_processes_.open()) throw Refused("/proc/self/ns/pid");
}

pid_t ChildForks::fork_child() const {
  if (!own_processes_.open()) return fork();
  if (unshare(CLONE_NEWPID) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    close(own_processes_.number());
    return 0;
  }
  const int failed = errno;
  // Otherwise the next child would end up in this one's namespace.
  return setns(own_processes_.number(), CLONE_NEWPID) == 0 ? (errno = failed, child) : -1;
}

std::optional<RoomRefusal> enter(const ChildRoom& room, std::int64_t number) {
  setpgid(0, 0);  // signals to its group do not reach the parent; a new session would lose its scheduling weight
                  // (confinement.cpp)
  prctl(PR_SET_DUMPABLE, 1);  // otherwise its own files in /proc would belong to root
  try {
    const fs::path own = room.jobs / std::to_string(number);
    if (!room.jobs.empty()) fs::create_directories(own);
    if (room.processes) enter_own_namespaces(room, own);
  } catch (const std::system_error& failure) {
    return RoomRefusal{RoomPart::processes, failure.what()};
  }
  return confine_for_good(room);
}

std::string encode(const ChildRoom& room) {
  json object{{"hidden", room.hidden}, {"processes", room.processes}, {"user", room.user},
              {"filter", room.filter}, {"jobs", room.jobs.string()},  {"memory", json::array()}};
  for (const MemoryFolder& folder : room.memory) object["memory"].push_back({folder.path.string(), folder.options});
  if (room.paths) {
    object["paths"] = {{"read", texts(room.paths->read)},
                       {"write", texts(room.paths->write)},
                       {"devices", texts(room.paths->devices)}};
  }
  return object.dump();
}

ChildRoom decode_room(std::string_view text) {
  const json object = json::parse(text);
  ChildRoom room{.hidden = object.at("hidden"),
                 .processes = object.at("processes"),
                 .user = object.at("user"),
                 .paths = std::nullopt,
                 .filter = object.at("filter").get<std::vector<std::uint8_t>>(),
                 .jobs = object.at("jobs").get<std::string>(),
                 .memory = {}};
  for (const auto& folder : object.at("memory")) {
    room.memory.push_back({.path = folder.at(0).get<std::string>(), .options = folder.at(1).get<std::string>()});
  }
  if (const auto paths = object.find("paths"); paths != object.end()) {
    room.paths = {.read = paths_in(paths->at("read")),
                  .write = paths_in(paths->at("write")),
                  .devices = paths_in(paths->at("devices"))};
  }
  return room;
}

}  // namespace parityd::confine
