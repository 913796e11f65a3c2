// What all components want the loop to wait for, told anew in each turn; the kernel hears of changes only. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "executor/descriptor_set.h"
#include "executor/interest.h"

namespace parityd::executor {

class InterestSet {
 public:
  /// From now on these and no others. One descriptor may be named several times.
  void become(const std::vector<Interest>& interests);
  /// Readable while one of them is ready.
  [[nodiscard]] int number() const { return watched_.number(); }

 private:
  struct Wanted {
    bool read = false, write = false;
    std::uint64_t owner = 0;
    bool operator==(const Wanted&) const = default;
  };

  DescriptorSet watched_;
  std::map<int, Wanted> wanted_;  // by descriptor
};

}  // namespace parityd::executor
