// Forms of graphs that were compiled for programs which then agreed with eager (oracle::GraphForms): no longer new to a
// group's warm workers. Kept in order of arrival, so that each worker is sent only those it does not know yet. One
// thread (the loop's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace parityd::executor {

class KnownForms {
 public:
  /// Forms beyond this number stay new. A new worker gets all of them in one message.
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

  /// All except the first `told`.
  [[nodiscard]] std::vector<std::uint64_t> after(std::size_t told) const {
    return {forms_.begin() + static_cast<std::ptrdiff_t>(told), forms_.end()};
  }

 private:
  std::vector<std::uint64_t> forms_;
  std::unordered_set<std::uint64_t> seen_;
};

}  // namespace parityd::executor
