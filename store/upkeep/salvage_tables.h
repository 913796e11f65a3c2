// Which page of a damaged database belongs to which table: by the trees as far as they hold together, by the shape of
// its rows where the way to it is lost. Internal to store/salvage*. One thread.
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
  bool generated = false;  // stored with the row, but nobody may write it
};

struct TableShape {
  std::string name;
  std::vector<ColumnShape> columns;         // in the order in which a row holds them
  std::optional<std::size_t> rowid_column;  // stands for the rowid: NULL in the row itself
  bool without_rowid = false;
};

/// Of all tables of a sound database of the same schema.
[[nodiscard]] std::vector<TableShape> table_shapes(SQLite::Database& sound);

/// STRICT tables: each column has its type. Rows that are older than a column end before it.
[[nodiscard]] bool fits(const TableShape& table, const Record& record);

struct Losses {
  std::int64_t pages = 0;  // in a table's tree, not readable
  std::int64_t rows = 0;   // cells that are broken, rows that fit no table or several
};

/// Hands over every row that can be read; the same row perhaps twice.
Losses read_tables(const PageFile& file, const std::vector<TableShape>& tables,
                   const std::function<void(const TableShape&, const Record&)>& take);

}  // namespace parityd::store
