// State of the process outside Python: what the kernel keeps for it, its C environment, the processor's rounding.
// Programs can reach all of it through ctypes. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parityd::worker {

class NativeState {
 public:
  /// Records the present state. `counts_threads`: false if a driver starts threads at any time.
  explicit NativeState(bool counts_threads);

  /// What differs from the recorded state, in words. To be called in the thread that recorded it; ends idle threads of
  /// OpenMP.
  [[nodiscard]] std::vector<std::string> changed() const;
  /// Restores the recorded C environment.
  void restore_environment() const;

 private:
  std::vector<std::string> environment_;
  std::vector<void*> handlers_;
  std::uint64_t blocked_;
  std::uint64_t floating_point_;
  bool counts_threads_;
  std::size_t threads_;
};

}  // namespace parityd::worker
