// Which group of workers runs a program (with a GPU, 15 % of them go to a CPU group: its C++ backend has bugs of its
// own). Pure.
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
    bool broken = false;  // no worker starts: its share goes to the others
  };

  /// The free group that is furthest behind its share. One may run ahead by a program a worker, so that none waits for
  /// the others' odd program; the group with the largest share by as many as it likes, since a GPU does not idle
  /// because a CPU is slow.
  [[nodiscard]] std::optional<std::size_t> choose(const std::vector<Group>& groups) const;
  /// A program went to `group`.
  void placed(std::size_t group);

 private:
  std::vector<std::int64_t> taken_;
};

}  // namespace parityd::agent
