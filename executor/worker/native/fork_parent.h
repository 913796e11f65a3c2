// A fork parent: from here on this process runs no Python, and every child finds it as it was primed. One thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "channel.h"

namespace parityd::worker {

/// Says `primed`, then forks a child whenever the daemon asks for one (docs/protocol.md, `fork`) and tells of its end
/// and of what this process's memory is then. What a child is asked to do only the child reads. Returns in each child,
/// with its number and the room (executor/confine/child_room.h) around it; in this process never: it exits as the
/// channel ends. Throws before the first child when this process cannot be such a parent. A child that cannot enter
/// its room says so on the channel and exits.
[[nodiscard]] std::int64_t fork_children(Channel& channel, double primed_seconds, std::string_view room);

}  // namespace parityd::worker
