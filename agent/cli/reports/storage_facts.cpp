#include "agent/cli/reports/storage_facts.h"

#include <algorithm>

#include "agent/requests/apply.h"
#include "store/base/durable.h"

namespace parityd::agent {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> folders_beside(const fs::path& database) {
  const std::string name = database.filename().string() + ".";
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(database.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (entry->path().filename().string().starts_with(name) && entry->is_directory(gone)) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

StorageFacts storage_facts(const Context& context, const Config& config, const store::Store* store) {
  StorageFacts facts{.disk = probe_disk(context.state_directory), .set_aside = folders_beside(context.database())};
  facts.bytes = static_cast<std::int64_t>(store::size_of(context.database()));
  facts.wal_bytes = static_cast<std::int64_t>(store::size_of(context.database().string() + "-wal"));
  Disk disk(context.state_directory, config.disk_floor_mebibytes * kMebibyte,
            [&](const fs::path&) { return facts.disk; });
  (void)disk.look(executor::Clock::now());
  facts.paused = disk.problem();
  facts.last_backup = store != nullptr ? store->values.find(requests::kLastBackup).value_or("") : "";
  return facts;
}

std::string storage_sentence(const StorageFacts& facts) {
  std::string text =
      fmt::format("{}, {} of it in the write-ahead log; {} free", in_bytes(facts.bytes + facts.wal_bytes),
                  in_bytes(facts.wal_bytes), in_bytes(facts.disk.free_bytes));
  text += facts.last_backup.empty() ? "; never backed up (`parityd backup FILE`)" : "; backed up " + facts.last_backup;
  if (!facts.set_aside.empty()) text += fmt::format("; set aside: {}", facts.set_aside.back().string());
  return text;
}

}  // namespace parityd::agent
