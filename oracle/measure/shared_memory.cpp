#include "oracle/measure/shared_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>

#include "oracle/measure/layout.h"

namespace parityd::oracle {
namespace {

constexpr std::size_t kMostLeaves = 1000;
constexpr std::int64_t kMostWalked = std::int64_t{1} << 22;  // units of a record's leaves: some 20 ms

/// The bytes of one leaf in its storage.
struct Place {
  Place(std::size_t leaf_index, const Leaf& leaf, const std::byte* storage)
      : index(leaf_index),
        walk(layout::walk_together({&leaf})),
        start(storage),
        width(static_cast<std::int64_t>(element_size(leaf.dtype))),
        begin(leaf.offset * width),
        end(begin + width) {
    for (const layout::Dimension& dimension : walk.dimensions) {
      end += (dimension.size - 1) * dimension.steps[0];
      elements *= dimension.size;
    }
  }

  [[nodiscard]] bool dense() const { return walk.dimensions.size() == 1 && walk.dimensions[0].steps[0] == width; }

  std::size_t index;
  layout::Walk walk;
  const std::byte* start;
  std::int64_t width, begin, end, elements = 1;
};

/// Groups of leaves, by number: union-find.
class Connected {
 public:
  explicit Connected(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0); }

  [[nodiscard]] std::size_t root(std::size_t leaf) {
    while (parents_[leaf] != leaf) leaf = parents_[leaf] = parents_[parents_[leaf]];
    return leaf;
  }
  void connect(std::size_t one, std::size_t other) { parents_[root(one)] = root(other); }

 private:
  std::vector<std::size_t> parents_;
};

class Sharing {
 public:
  explicit Sharing(std::size_t leaves) : connected_(leaves) {}

  /// Leaves of one storage.
  void meet(std::vector<Place> places) {
    std::ranges::sort(places, {}, &Place::begin);
    for (std::size_t first = 0; first < places.size();) {
      std::int64_t end = places[first].end;
      std::size_t behind = first + 1;
      for (; behind < places.size() && places[behind].begin < end; ++behind) end = std::max(end, places[behind].end);
      meet_in_range(std::span(places).subspan(first, behind - first), end);
      first = behind;
    }
  }
  /// Connects all of a storage, whatever their places in it.
  void meet_all(const std::vector<std::size_t>& leaves) {
    for (const std::size_t leaf : leaves) connected_.connect(leaves.front(), leaf);
  }
  [[nodiscard]] std::size_t group(std::size_t leaf) { return connected_.root(leaf); }

 private:
  /// Each begins before another has ended: dense ones overlap, others may lie in each other's gaps.
  void meet_in_range(std::span<const Place> places, std::int64_t end) {
    if (places.size() == 1 || std::ranges::all_of(places, &Place::dense)) return connect(places);
    const std::int64_t begin = places.front().begin;
    std::int64_t unit = 0;
    for (const Place& place : places) {
      unit = std::gcd(std::gcd(unit, place.begin - begin), place.width);
      for (const layout::Dimension& dimension : place.walk.dimensions) unit = std::gcd(unit, dimension.steps[0]);
    }
    const std::int64_t range = (end - begin) / unit;
    std::int64_t walked = range;
    for (const Place& place : places) walked += place.elements * (place.width / unit);
    if (walked > left_) return connect(places);
    left_ -= walked;
    std::vector<std::size_t> owners(static_cast<std::size_t>(range), kNobody);
    for (const Place& place : places) claim(place, begin, unit, owners);
  }

  void connect(std::span<const Place> places) {
    for (const Place& place : places) connected_.connect(places.front().index, place.index);
  }

  void claim(const Place& place, std::int64_t begin, std::int64_t unit, std::vector<std::size_t>& owners) {
    layout::for_each_row(place.walk, {place.start + place.begin, nullptr, nullptr},
                         [&](const layout::Pointers& at, const layout::Dimension& row) {
                           for (std::int64_t element = 0; element < row.size; ++element) {
                             const std::int64_t first = (at[0] - place.start - begin + element * row.steps[0]) / unit;
                             for (std::int64_t part = 0; part < place.width / unit; ++part) {
                               std::size_t& owner = owners[static_cast<std::size_t>(first + part)];
                               if (owner == kNobody) owner = place.index;
                               if (owner != place.index) connected_.connect(owner, place.index);
                             }
                           }
                         });
  }

  static constexpr std::size_t kNobody = SIZE_MAX;
  Connected connected_;
  std::int64_t left_ = kMostWalked;
};

}  // namespace

SharedMemory shared_memory(const std::vector<const Leaf*>& leaves, const std::vector<StorageView>& storages) {
  if (leaves.size() > kMostLeaves) return {};
  std::map<int, std::vector<std::size_t>> by_storage;
  for (std::size_t index = 0; index < leaves.size(); ++index) by_storage[leaves[index]->storage].push_back(index);
  Sharing sharing(leaves.size());
  for (const auto& [storage, inside] : by_storage) {
    if (inside.size() == 1) continue;  // true of nearly all
    const auto unreadable = [&](std::size_t index) { return !layout::fault(*leaves[index], storages).empty(); };
    if (std::ranges::any_of(inside, unreadable)) {
      sharing.meet_all(inside);
      continue;
    }
    std::vector<Place> places;
    for (const std::size_t index : inside)
      places.emplace_back(index, *leaves[index], storages[static_cast<std::size_t>(storage)].data);
    sharing.meet(std::move(places));
  }
  std::map<std::size_t, std::set<std::string>> groups;
  for (std::size_t index = 0; index < leaves.size(); ++index) groups[sharing.group(index)].insert(leaves[index]->path);
  SharedMemory shared;
  for (std::size_t index = 0; index < leaves.size(); ++index)
    shared.emplace(leaves[index]->path, groups[sharing.group(index)]);
  return shared;
}

}  // namespace parityd::oracle
