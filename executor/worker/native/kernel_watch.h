// Watches the dispatcher's kernels: torch.library tells of those that it registers, but not who goes past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parityd::worker {

class KernelWatch {
 public:
  /// Notes the kernels of all operators there are, which takes a twentieth of a second, as asking does.
  KernelWatch();

  /// Operators whose kernels are not what they were, `most` at most.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

 private:
  std::map<std::string, std::size_t> kernels_;  // by operator, digested
};

// Counts what a process can be told but never asked: operators defined for the dispatcher, and audit hooks.

/// Starts counting. Later calls do nothing.
void watch_registrations();

/// Operators defined since watch_registrations(), those included that are gone again.
[[nodiscard]] std::uint64_t operators_defined();

/// Audit hooks added since then: nothing lists them, and nothing removes them.
[[nodiscard]] std::uint64_t audit_hooks_added();

/// Orphans of this process's children become its own children, so that they can be found and ended.
void adopt_orphans();

}  // namespace parityd::worker
