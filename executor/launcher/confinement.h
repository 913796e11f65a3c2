// What a process can do to itself, once its namespaces and its tree stand: everything up to the program's first step.
#pragma once

#include <optional>
#include <string>

#include "executor/confine/child_room.h"
#include "executor/launcher/arguments.h"
#include "executor/launcher/layers.h"
#include "executor/launcher/surroundings.h"

namespace parityd::launcher {

/// Applies the layers that are on, in the order in which they allow each other; switches off those that fail. Of a fork
/// parent: the room for its children, which has been tried. It runs no program itself, so that Landlock, which allows
/// no mount, begins in the children.
[[nodiscard]] std::optional<confine::ChildRoom> confine(Layers& layers, const Arguments& arguments,
                                                        const Surroundings& surroundings);

// What a program may use up before its own calls fail. Nothing here needs a privilege.

/// `counted_apart`: processes are counted in a user namespace of the worker's own, else over all that the user runs.
/// `gpu`: CUDA needs more private memory. Empty, or why not all of it could be done.
[[nodiscard]] std::string set_limits(bool counted_apart, bool gpu);

}  // namespace parityd::launcher
