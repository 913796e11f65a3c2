// State of the database's file and disk, for `status` and `doctor`. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agent/cli/context.h"
#include "agent/daemon/upkeep/disk.h"
#include "store/store.h"

namespace parityd::agent {

struct StorageFacts {
  std::int64_t bytes = 0, wal_bytes = 0;
  DiskState disk;
  std::string paused;                            // why a daemon would request nothing here; empty: it would
  std::vector<std::filesystem::path> set_aside;  // folders with damaged or replaced databases
  std::string last_backup;                       // UTC and file; empty: unknown
};

/// `store` may be null if there is no database or it cannot be read.
[[nodiscard]] StorageFacts storage_facts(const Context& context, const Config& config, const store::Store* store);

/// "12.3 MiB and 1.0 MiB write-ahead log; 80.1 GiB free; last backup …".
[[nodiscard]] std::string storage_sentence(const StorageFacts& facts);

}  // namespace parityd::agent
