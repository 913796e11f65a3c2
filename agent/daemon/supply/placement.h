// Chooses the group of workers that runs a program (beside a GPU, 15 % of the programs go to a CPU group: its C++
// backend has its own bugs). Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace parityd::agent {

class Placement {
 public:
  struct Group {
    double share = 1;  // relative to the others
    int workers = 1;
    int free = 0;         // places for another program now
    bool broken = false;  // no worker starts; its share goes to the others
  };

  /// The free group that is furthest behind its share; nullopt: none is free. A group may be ahead by one program per
  /// worker, so that none waits for a single program of the others; the group with the largest share may be ahead by
  /// any number, so that a GPU does not idle because a CPU is slow.
  [[nodiscard]] std::optional<std::size_t> choose(const std::vector<Group>& groups) const;
  /// Records that a program went to `group`.
  void placed(std::size_t group);

 private:
  std::vector<std::int64_t> taken_;
};

}  // namespace parityd::agent
