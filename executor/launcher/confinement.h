// What a process does to confine itself once its namespaces and its tree are in place: everything up to the program's
// first step. For a process with one thread.
#pragma once

#include <optional>
#include <string>

#include "executor/confine/child_room.h"
#include "executor/launcher/arguments.h"
#include "executor/launcher/layers.h"
#include "executor/launcher/surroundings.h"

namespace parityd::launcher {

/// Applies the layers that are on, in the order in which they permit each other, and switches off those that fail. For
/// a fork parent, returns the room for its children, already tried. A fork parent runs no program itself, so Landlock,
/// which allows no mount, starts in the children.
[[nodiscard]] std::optional<confine::ChildRoom> confine(Layers& layers, const Arguments& arguments,
                                                        const Surroundings& surroundings);

// Limits on what a program may use before its own calls fail. Nothing here needs a privilege.

/// `counted_apart`: processes are counted in the worker's own user namespace, otherwise over everything the user runs.
/// `gpu`: CUDA needs more private memory. Returns empty, or why some limits could not be set.
[[nodiscard]] std::string set_limits(bool counted_apart, bool gpu);

}  // namespace parityd::launcher
