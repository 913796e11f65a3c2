// What all components want the loop to wait for, told anew in each turn; the kernel hears of changes only. One thread.
#pragma once

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
  DescriptorSet watched_;
  std::vector<Interest> wanted_;  // by descriptor, each once
};

}  // namespace parityd::executor
