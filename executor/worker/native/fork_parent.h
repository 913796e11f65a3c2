// A fork parent: from here on this process runs no Python, and every child finds it as it was after priming. One
// thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "channel.h"

namespace parityd::worker {

/// Sends `primed`, then forks a child whenever the daemon requests one (docs/protocol.md, `fork`) and reports its end
/// and the state of this process's memory then. Only the child reads what it is asked to do. Returns in each child,
/// with its number and with the room (executor/confine/child_room.h) around it; never returns in this process, which
/// exits when the channel ends. Throws before the first child if this process cannot be such a parent. A child that
/// cannot enter its room reports this on the channel and exits.
[[nodiscard]] std::int64_t fork_children(Channel& channel, double primed_seconds, std::string_view room);

}  // namespace parityd::worker
