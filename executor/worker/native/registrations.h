// Counts what a process can be told but never asked: operators defined for the dispatcher, and audit hooks.
#pragma once

#include <cstdint>

namespace parityd::worker {

/// Starts counting. Later calls do nothing.
void watch_registrations();

/// Operators defined since watch_registrations(), those included that are gone again.
[[nodiscard]] std::uint64_t operators_defined();

/// Audit hooks added since then: nothing lists them, and nothing removes them.
[[nodiscard]] std::uint64_t audit_hooks_added();

/// Orphans of this process's children become its own children, so that they can be found and ended.
void adopt_orphans();

}  // namespace parityd::worker
