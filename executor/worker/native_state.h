// What the process is outside of Python: what the kernel keeps of it, its C environment, how the processor rounds, the
// kernels of the dispatcher. Programs reach all of it by ctypes.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parityd::worker {

class NativeState {
 public:
  /// Notes what there is now, kernels included.
  NativeState();

  /// What is another than noted, in words. In the thread that noted it.
  [[nodiscard]] std::vector<std::string> changed() const;
  /// Kernels that operators have and had not, or have lost: milliseconds.
  [[nodiscard]] std::vector<std::string> changed_kernels(std::size_t most) const;
  /// The C environment becomes what was noted.
  void restore_environment() const;

 private:
  std::vector<std::string> environment_;
  std::vector<void*> handlers_;
  std::uint64_t blocked_;
  std::uint64_t floating_point_;
  std::size_t threads_;
  std::map<std::string, std::size_t> kernels_;  // of each operator, digested
};

}  // namespace parityd::worker
