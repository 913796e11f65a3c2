// What a process can do to itself, once its namespaces and its tree stand: everything up to the program's first step.
#pragma once

#include "executor/launcher/layers.h"
#include "executor/launcher/surroundings.h"

namespace parityd::launcher {

/// Applies the layers that are on, in the order in which they allow each other; switches off those that fail.
void confine(Layers& layers, const Surroundings& surroundings);

}  // namespace parityd::launcher
