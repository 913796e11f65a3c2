// Tries the room for a fork parent's children, so that what this machine does not grant is known before any program
// runs. For a process with one thread.
#pragma once

#include <functional>

#include "executor/confine/child_room.h"
#include "executor/launcher/layers.h"

namespace parityd::launcher {

/// Returns the first room that a child can enter. `make` builds each room from the layers left in `layers`; what a
/// trial is refused is switched off there. The caller must be confined as a fork parent. Throws std::system_error if no
/// child can be started at all.
[[nodiscard]] confine::ChildRoom tried_room(Layers& layers, const std::function<confine::ChildRoom()>& make);

}  // namespace parityd::launcher
