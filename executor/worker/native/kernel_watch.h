// Watches the dispatcher's kernels: torch.library knows the kernels it registers, but not those registered past it. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parityd::worker {

class KernelWatch {
 public:
  /// Records the kernels of all existing operators, which takes a twentieth of a second; so does a check.
  KernelWatch();

  /// Operators whose kernels have changed, at most `most`.
  [[nodiscard]] std::vector<std::string> changed(std::size_t most) const;

 private:
  std::map<std::string, std::size_t> kernels_;  // digest by operator
};

// Counts what a process can only observe as it happens and never query: operators defined for the dispatcher, and audit
// hooks.

/// Starts counting. Later calls do nothing.
void watch_registrations();

/// Operators defined since watch_registrations(), including those that have been removed.
[[nodiscard]] std::uint64_t operators_defined();

/// Audit hooks added since then: they can be neither listed nor removed.
[[nodiscard]] std::uint64_t audit_hooks_added();

/// Makes orphans of this process's children its own children, so that they can be found and ended.
void adopt_orphans();

}  // namespace parityd::worker
