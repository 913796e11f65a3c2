// What `parityd findings --queue` prints. One thread.
#pragma once

#include "agent/cli/context.h"
#include "store/store.h"

namespace parityd::agent {

/// The queue of the findings that pass `filter`, each with its place and why it stands there; those offered today
/// first.
void list_queue(Context& context, const store::Store& store, const store::FindingFilter& filter, bool json);

}  // namespace parityd::agent
