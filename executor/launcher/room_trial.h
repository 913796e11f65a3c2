// Tries the room for a fork parent's children, so that what the machine does not grant is known before any program
// comes.
#pragma once

#include <functional>

#include "executor/confine/child_room.h"
#include "executor/launcher/layers.h"

namespace parityd::launcher {

/// The first room that a child can enter, of those that `make` builds from what is left of `layers`: what a trial is
/// refused is switched off there. For a process with one thread, confined as a fork parent. Throws std::system_error
/// when no child can be had at all.
[[nodiscard]] confine::ChildRoom tried_room(Layers& layers, const std::function<confine::ChildRoom()>& make);

}  // namespace parityd::launcher
