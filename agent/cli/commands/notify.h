// What the command of [notify] is told of a finding. Any thread.
#pragma once

#include "agent/cli/context.h"
#include "agent/daemon/findings/notification.h"

namespace parityd::agent {

/// The finding as `findings --json` lists it, and the state folder.
[[nodiscard]] NotifyParts notify_parts(const Context& context);

}  // namespace parityd::agent
