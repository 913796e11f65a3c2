#include "recording.h"

#include <stdexcept>

namespace parityd::worker {

oracle::Mode mode_named(const std::string& name) {
  const auto mode = oracle::from_name<oracle::Mode>(name);
  if (!mode) throw std::invalid_argument("no such mode: " + name);
  return *mode;
}

int Recording::adopt_storage(std::unique_ptr<std::byte[]> bytes, std::size_t size) {
  bytes_.push_back(std::move(bytes));
  record_.storages.push_back({.data = bytes_.back().get(), .size = size});
  size_ += size;
  return static_cast<int>(record_.storages.size()) - 1;
}

int Recording::add_on_device(const std::byte* bytes, std::size_t size) {
  record_.storages.push_back({.data = bytes, .size = size, .on_device = true});
  size_ += size;
  return static_cast<int>(record_.storages.size()) - 1;
}

void Recording::bring_to_host(int storage, std::unique_ptr<std::byte[]> bytes) {
  bytes_.push_back(std::move(bytes));
  oracle::StorageView& view = record_.storages.at(static_cast<std::size_t>(storage));
  view = {.data = bytes_.back().get(), .size = view.size};
}

}  // namespace parityd::worker
