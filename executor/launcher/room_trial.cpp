#include "executor/launcher/room_trial.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "executor/launcher/pipe.h"

namespace parityd::launcher {
namespace {

/// What a trial reports before it ends.
struct Tried {
  bool refused = false;
  confine::RoomPart part = confine::RoomPart::processes;
  std::array<char, 240> why{};
};

Layer layer_of(confine::RoomPart part) {
  switch (part) {
    case confine::RoomPart::processes:
      return Layer::child_processes;
    case confine::RoomPart::user:
      return Layer::child_user;
    case confine::RoomPart::landlock:
      return Layer::landlock;
    case confine::RoomPart::seccomp:
      break;
  }
  return Layer::seccomp;
}

[[noreturn]] void be_trial(const confine::ChildRoom& room, const Descriptor& says) {
  Tried tried;
  if (const auto refusal = enter(room, 0)) {
    tried.refused = true;
    tried.part = refusal->part;
    refusal->why.copy(tried.why.data(), tried.why.size() - 1);
  }
  _exit(write(says.number(), &tried, sizeof tried) == sizeof tried ? 0 : 1);
}

/// Empty: it ended before it could report; then its own process namespace was refused.
std::optional<Tried> try_once(const confine::ChildRoom& room) {
  const confine::ChildForks forks(room);
  Pipe pipe = make_pipe();
  const pid_t child = forks.fork_child();
  if (child == 0) be_trial(room, pipe.write);
  if (child < 0) {
    if (!room.processes) throw std::system_error(errno, std::generic_category(), "no child process can be started");
    Tried tried{.refused = true, .part = confine::RoomPart::processes, .why = {}};
    std::string("no process namespace").copy(tried.why.data(), tried.why.size() - 1);
    return tried;
  }
  pipe.write.close();
  Tried tried;
  const bool told = read(pipe.read.number(), &tried, sizeof tried) == sizeof tried;
  waitpid(child, nullptr, 0);
  return told ? std::optional(tried) : std::nullopt;
}

}  // namespace

confine::ChildRoom tried_room(Layers& layers, const std::function<confine::ChildRoom()>& make) {
  for (;;) {
    confine::ChildRoom room = make();
    const auto tried = try_once(room);
    std::error_code ignored;
    std::filesystem::remove_all(room.jobs / "0", ignored);
    if (tried && !tried->refused) return room;
    const Layer layer = tried ? layer_of(tried->part) : Layer::child_processes;
    if (!layers.on(layer) && tried) {
      throw std::system_error(EPERM, std::generic_category(), std::string("confining a child: ") + tried->why.data());
    }
    layers.switch_off(layer, tried ? tried->why.data() : "its first process ended");
  }
}

}  // namespace parityd::launcher
