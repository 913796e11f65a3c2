// Forms of graphs that were compiled for programs which then agreed with eager (oracle::GraphForms): what is nothing
// new to a group's warm workers. In the order in which they came, so that each worker is told what it does not know
// yet. One thread (the loop's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace parityd::executor {

class KnownForms {
 public:
  /// What comes after so many stays new. A message tells a new worker all of them.
  static constexpr std::size_t kMost = 200'000;

  void add(const std::vector<std::uint64_t>& forms) {
    for (const auto form : forms) {
      if (forms_.size() < kMost && seen_.insert(form).second) forms_.push_back(form);
    }
  }

  void clear() {
    forms_.clear();
    seen_.clear();
  }

  /// All but the first `told`.
  [[nodiscard]] std::vector<std::uint64_t> after(std::size_t told) const {
    return {forms_.begin() + static_cast<std::ptrdiff_t>(told), forms_.end()};
  }

 private:
  std::vector<std::uint64_t> forms_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace parityd::executor
