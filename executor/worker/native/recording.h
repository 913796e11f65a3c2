// A run record that owns its bytes: the results of one mode, safe from whatever the program does next.
// No torch here; tensor_leaf.h fills it. One thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::worker {

class Recording {
 public:
  explicit Recording(oracle::Mode mode) { record_.mode = mode; }

  void add(oracle::Leaf leaf) { record_.leaves.push_back(std::move(leaf)); }

  /// Takes over `size` bytes as a new storage and returns its number.
  int adopt_storage(std::unique_ptr<std::byte[]> bytes, std::size_t size);

  /// Adds bytes on the GPU, which the caller keeps alive, as a new storage and returns its number.
  int add_on_device(const std::byte* bytes, std::size_t size);

  /// Replaces what add_on_device() added with `bytes`, a copy on the host.
  void bring_to_host(int storage, std::unique_ptr<std::byte[]> bytes);

  [[nodiscard]] const oracle::RunRecord& record() const { return record_; }
  /// Bytes in all storages.
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  oracle::RunRecord record_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
  std::size_t size_ = 0;
};

/// The mode with this name. Throws std::invalid_argument.
[[nodiscard]] oracle::Mode mode_named(const std::string& name);

/// Writes `path` (docs/protocol.md, Artefacts) under a temporary name and renames it. `outcome` is JSON text. Throws
/// std::system_error.
void write_artefact(const std::string& path, std::string_view outcome, const Recording& recording);

}  // namespace parityd::worker
