// Which leaves a later write to one of them reaches: those that have a byte in common with it. To lie in the same
// storage is not enough (two columns of one buffer do), and no program can tell that from two buffers by writing. Any
// thread.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// By path: the paths of all that share memory with it, itself included.
using SharedMemory = std::unordered_map<std::string, std::set<std::string>>;

/// `leaves` have elements and a storage. Where one points outside its storage, or two have too many elements to be
/// walked, all of one storage are taken to share it.
[[nodiscard]] SharedMemory shared_memory(const std::vector<const Leaf*>& leaves,
                                         const std::vector<StorageView>& storages);

}  // namespace parityd::oracle
