#include "oracle/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "oracle/layout.h"

namespace parityd::oracle {
namespace {

constexpr std::int64_t kMostWalked = std::int64_t{1} << 24;  // elements of two leaves: some 50 ms

/// The bytes of one leaf in its storage.
class Bytes {
 public:
  Bytes(const Leaf& leaf, const std::vector<StorageView>& storages)
      : path_(leaf.path), known_(layout::fault(leaf, storages).empty()) {
    if (!known_) return;
    walk_ = layout::walk_together({&leaf});
    storage_ = storages[static_cast<std::size_t>(leaf.storage)].data;
    width_ = static_cast<std::int64_t>(element_size(leaf.dtype));
    begin_ = leaf.offset * width_;
    end_ = begin_ + width_;
    for (const layout::Dimension& dimension : walk_.dimensions) {
      end_ += (dimension.size - 1) * dimension.steps[0];
      count_ *= dimension.size;
    }
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] bool meets(const Bytes& other) const {
    if (!known_ || !other.known_) return true;
    const std::int64_t begin = std::max(begin_, other.begin_);
    const std::int64_t end = std::min(end_, other.end_);
    if (begin >= end) return false;
    if ((dense() && other.dense()) || count_ + other.count_ > kMostWalked) return true;
    std::vector<bool> here(static_cast<std::size_t>(end - begin));
    bool met = false;
    for_each_within(begin, end, [&](std::size_t byte) { here[byte] = true; });
    other.for_each_within(begin, end, [&](std::size_t byte) { met |= here[byte]; });
    return met;
  }

 private:
  [[nodiscard]] bool dense() const { return walk_.dimensions.size() == 1 && walk_.dimensions[0].steps[0] == width_; }

  /// Calls `visit` with the place behind `begin` of every byte from there to `end`.
  template <typename Visit>
  void for_each_within(std::int64_t begin, std::int64_t end, Visit&& visit) const {
    layout::for_each_row(
        walk_, {storage_ + begin_, nullptr, nullptr}, [&](const layout::Pointers& at, const layout::Dimension& row) {
          for (std::int64_t element = 0; element < row.size; ++element) {
            const std::int64_t first = at[0] - storage_ + element * row.steps[0];
            for (std::int64_t byte = std::max(first, begin); byte < std::min(first + width_, end); ++byte)
              visit(static_cast<std::size_t>(byte - begin));
          }
        });
  }

  std::string path_;
  bool known_;
  layout::Walk walk_;
  const std::byte* storage_ = nullptr;
  std::int64_t width_ = 0, begin_ = 0, end_ = 0, count_ = 1;
};

}  // namespace

SharedMemory shared_memory(const std::vector<const Leaf*>& leaves, const std::vector<StorageView>& storages) {
  std::map<int, std::vector<Bytes>> by_storage;
  for (const Leaf* leaf : leaves) by_storage[leaf->storage].emplace_back(*leaf, storages);
  SharedMemory shared;
  for (const auto& [storage, inside] : by_storage) {
    for (std::size_t one = 0; one < inside.size(); ++one) {
      shared[inside[one].path()].insert(inside[one].path());
      for (std::size_t other = one + 1; other < inside.size(); ++other) {
        if (!inside[one].meets(inside[other])) continue;
        shared[inside[one].path()].insert(inside[other].path());
        shared[inside[other].path()].insert(inside[one].path());
      }
    }
  }
  return shared;
}

}  // namespace parityd::oracle
