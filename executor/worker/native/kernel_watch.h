// Watches the dispatcher's kernels: torch.library tells of those that it registers, but not who goes past it.
#pragma once

#include <cstddef>
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

}  // namespace parityd::worker
