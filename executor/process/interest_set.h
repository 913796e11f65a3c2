// What is to be waited for together, told anew in each turn; the kernel hears of changes only. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "executor/process/descriptor_set.h"
#include "executor/process/interest.h"

namespace parityd::executor {

class InterestSet {
 public:
  /// From now on these and no others. One descriptor may be named several times.
  void become(const std::vector<Interest>& interests);
  /// The owners of those that are ready now; of very many the others come with the next call.
  [[nodiscard]] std::unordered_set<std::uint64_t> speaking() const;
  /// All of them as one; nothing where there was none yet.
  [[nodiscard]] std::optional<Interest> together() const;
  /// Readable while one of them is ready.
  [[nodiscard]] int number() const { return watched_.number(); }

 private:
  DescriptorSet watched_;
  std::vector<Interest> told_;    // as they were told
  std::vector<Interest> wanted_;  // by descriptor, each once
};

}  // namespace parityd::executor
