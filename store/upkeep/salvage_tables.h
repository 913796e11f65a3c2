// Assigns the pages of a damaged database to tables: by the trees as far as these are intact, and by the shape of the
// rows if the path to a page is lost. Internal to store/salvage*. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/upkeep/salvage_pages.h"

namespace SQLite {
class Database;
}

namespace parityd::store {

struct ColumnShape {
  std::string name;
  std::string type;  // INTEGER, REAL, TEXT, BLOB, ANY
  bool may_be_null = true;
  bool generated = false;  // stored with the row, but not writable
};

struct TableShape {
  std::string name;
  std::vector<ColumnShape> columns;         // in the order of a stored row
  std::optional<std::size_t> rowid_column;  // an alias of the rowid: NULL in the row itself
  bool without_rowid = false;
};

/// The shapes of all tables, from a sound database of the same schema.
[[nodiscard]] std::vector<TableShape> table_shapes(SQLite::Database& sound);

/// Whether the record can be a row of the table, by the column types of STRICT tables. Rows older than a column end
/// before it.
[[nodiscard]] bool fits(const TableShape& table, const Record& record);

struct Losses {
  std::int64_t pages = 0;  // in a table's tree, not readable
  std::int64_t rows = 0;   // cells that are broken, rows that fit no table or several
};

/// Passes every readable row to `take`, perhaps the same row twice.
Losses read_tables(const PageFile& file, const std::vector<TableShape>& tables,
                   const std::function<void(const TableShape&, const Record&)>& take);

}  // namespace parityd::store
