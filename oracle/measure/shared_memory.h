// Which leaves a later write to one of them may reach: those that have a byte in common with it, or with one that has.
// To lie in the same storage is not enough (two columns of one buffer do), and no program can tell that from two
// buffers by writing. Any thread.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "oracle/run_record.h"

namespace parityd::oracle {

/// By path: the paths of all that share memory with it, itself included.
using SharedMemory = std::unordered_map<std::string, std::set<std::string>>;

/// `leaves` have elements and a storage. All of a storage are taken to share it where one points outside of it, or
/// where they interleave and have too many elements to be walked. Empty where there are more leaves than any program
/// has.
[[nodiscard]] SharedMemory shared_memory(const std::vector<const Leaf*>& leaves,
                                         const std::vector<StorageView>& storages);

}  // namespace parityd::oracle
