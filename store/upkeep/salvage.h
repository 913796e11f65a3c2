// Salvages a damaged database: all that is still readable goes into a new one, and the damaged one is kept whole.
// Needs only those pages that are sound: a lost root or inner page of a table loses no row. One thread; no process may
// have the file open. Errors: StoreError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "store/base/error.h"
#include "store/base/ids.h"

namespace parityd::store {

/// FILE.salvaged: complete, and about to become FILE. If it exists, finish the replacement first.
inline constexpr const char* kReplacement = ".salvaged";

struct Salvaged {
  std::filesystem::path kept;                // folder with the damaged file and its write-ahead log
  std::map<std::string, std::int64_t> rows;  // saved, by table
  std::int64_t saved = 0;                    // in total
  std::int64_t pages_lost = 0;               // that are not readable
  std::int64_t rows_lost = 0;                // seen, but not complete or not of a known table
  std::int64_t stand_ins = 0;                // empty programs in place of lost ones that rows refer to
  [[nodiscard]] std::string sentence() const;
};

/// Builds a sound database from what is left of `file` and puts it in its place. Throws, and changes nothing, if
/// nothing of parityd's is left. If the process is killed at any moment, either the damaged or the new database is in
/// place, and the other one in its folder.
Salvaged salvage(const std::filesystem::path& file, Millis now);

/// Renames FILE.salvaged to FILE, and keeps the old FILE and its side files in the folder FILE.`why`-TIME (UTC).
/// Returns that folder; empty if there was no FILE.
std::filesystem::path replace_database(const std::filesystem::path& file, const std::string& why, Millis now);

/// Finishes an interrupted replacement; call it at the start, before the file is opened. True if there was one.
bool finish_replacement(const std::filesystem::path& file, Millis now);

}  // namespace parityd::store
