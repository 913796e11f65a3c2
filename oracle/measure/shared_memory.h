// Groups of leaves that share memory: a write to one of them may reach those that have a byte in common with it, or
// with another one of the group. Lying in the same storage is not enough: two columns of one buffer do, and no program
// can tell them from two buffers by writing. Any thread.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// By path: the paths of all leaves that share memory with it, itself included.
using SharedMemory = std::unordered_map<std::string, std::set<std::string>>;

/// `leaves` must have elements and a storage. All leaves of a storage are assumed to share it if one points outside it,
/// or if they interleave and have too many elements to walk. Empty if there are more leaves than any program has.
[[nodiscard]] SharedMemory shared_memory(const std::vector<const Leaf*>& leaves,
                                         const std::vector<StorageView>& storages);

}  // namespace parityd::oracle
