// What the process is outside of Python: what the kernel keeps of it, its C environment, how the processor rounds.
// Programs reach all of it by ctypes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parityd::worker {

class NativeState {
 public:
  /// Notes what there is now. `counts_threads`: not where a driver starts some whenever it likes.
  explicit NativeState(bool counts_threads);

  /// What is another than noted, in words. In the thread that noted it; ends the threads of OpenMP's that have nothing
  /// to do.
  [[nodiscard]] std::vector<std::string> changed() const;
  /// The C environment becomes what was noted.
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
