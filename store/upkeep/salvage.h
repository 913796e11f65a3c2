// What becomes of a damaged database: all that can still be read goes into a new one, the damaged one is kept aside
// whole. Needs nothing but pages that are sound themselves: a lost root or inner page of a table loses no row. One
// thread; nobody may have the file open. Errors: StoreError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "store/base/error.h"
#include "store/base/ids.h"

namespace parityd::store {

/// FILE.salvaged: complete, and about to become FILE. Whoever finds one finishes that first.
inline constexpr const char* kReplacement = ".salvaged";

struct Salvaged {
  std::filesystem::path kept;                // folder with the damaged file and its write-ahead log
  std::map<std::string, std::int64_t> rows;  // saved, by table
  std::int64_t saved = 0;                    // in all
  std::int64_t pages_lost = 0;               // that hold nothing anyone can read
  std::int64_t rows_lost = 0;                // seen, but not whole or of no known table
  std::int64_t stand_ins = 0;                // empty programs put where a lost one is referred to
  [[nodiscard]] std::string sentence() const;
};

/// Builds a sound database from what is left of `file` and puts it in its place. Throws when nothing of ours is left,
/// and leaves everything as it was. A process killed at any moment leaves the damaged one or the new one, and the other
/// in its folder.
Salvaged salvage(const std::filesystem::path& file, Millis now);

/// Puts FILE.salvaged in FILE's place, and FILE with what lies beside it into the folder FILE's `why`-TIME (UTC), whose
/// name is returned; empty: there was no FILE.
std::filesystem::path replace_database(const std::filesystem::path& file, const std::string& why, Millis now);

/// At the start, before the file is opened: a replacement that was interrupted is finished. True: there was one.
bool finish_replacement(const std::filesystem::path& file, Millis now);

}  // namespace parityd::store
