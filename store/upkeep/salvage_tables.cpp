#include "store/upkeep/salvage_tables.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <map>
#include <set>

namespace parityd::store {
namespace {

constexpr int kVirtual = 2, kStored = 3;  // values of table_xinfo for generated columns

struct ColumnFacts {
  ColumnShape shape;
  int primary_key = 0;
  int hidden = 0;
};

std::vector<ColumnFacts> columns_of(SQLite::Database& database, const std::string& table) {
  SQLite::Statement rows(database, "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?)");
  rows.bind(1, table);
  std::vector<ColumnFacts> columns;
  while (rows.executeStep()) {
    const int hidden = rows.getColumn(4).getInt();
    columns.push_back({.shape = {.name = rows.getColumn(0).getString(),
                                 .type = rows.getColumn(1).getString(),
                                 .may_be_null = rows.getColumn(2).getInt() == 0,
                                 .generated = hidden == kStored},
                       .primary_key = rows.getColumn(3).getInt(),
                       .hidden = hidden});
  }
  return columns;
}

/// A table without rowid is stored as the index of its primary key: the key first, then the rest.
std::vector<ColumnShape> key_first(SQLite::Database& database, const std::string& table,
                                   const std::vector<ColumnFacts>& columns) {
  SQLite::Statement rows(database,
                         "SELECT x.cid FROM pragma_index_list(?) l, pragma_index_xinfo(l.name) x WHERE l.origin = 'pk' "
                         "ORDER BY x.seqno");
  rows.bind(1, table);
  std::vector<ColumnShape> ordered;
  while (rows.executeStep()) ordered.push_back(columns.at(static_cast<std::size_t>(rows.getColumn(0).getInt())).shape);
  return ordered;
}

TableShape shape_of(SQLite::Database& database, const std::string& table, bool without_rowid) {
  TableShape shape{.name = table, .columns = {}, .without_rowid = without_rowid};
  const auto columns = columns_of(database, table);
  if (without_rowid) {
    shape.columns = key_first(database, table, columns);
    return shape;
  }
  const auto keys =
      std::count_if(columns.begin(), columns.end(), [](const auto& each) { return each.primary_key > 0; });
  for (const ColumnFacts& column : columns) {
    if (column.hidden == kVirtual) continue;
    if (keys == 1 && column.primary_key == 1 && column.shape.type == "INTEGER") {
      shape.rowid_column = shape.columns.size();
    }
    shape.columns.push_back(column.shape);
  }
  return shape;
}

bool fits_type(const std::string& type, const Value& value) {
  if (std::holds_alternative<std::int64_t>(value)) return type != "TEXT" && type != "BLOB";
  if (std::holds_alternative<double>(value)) return type == "REAL" || type == "ANY";
  if (std::holds_alternative<std::string>(value)) return type == "TEXT" || type == "ANY";
  return type == "BLOB" || type == "ANY";
}

bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

/// The first page of each tree, from the schema's own table. An empty name: the tree is not one of parityd's tables.
std::map<PageNumber, std::string> roots_of(const PageFile& file) {
  std::map<PageNumber, std::string> roots;
  std::set<PageNumber> seen;
  std::vector<PageNumber> left{1};
  while (!left.empty()) {
    const PageNumber number = left.back();
    left.pop_back();
    const auto page = seen.insert(number).second ? file.tree_page(number) : std::nullopt;
    if (!page) continue;
    left.insert(left.end(), page->children.begin(), page->children.end());
    for (const Record& record : page->records) {
      if (record.values.size() != 5) continue;
      const auto* type = std::get_if<std::string>(&record.values[0]);
      const auto* name = std::get_if<std::string>(&record.values[1]);
      const auto* root = std::get_if<std::int64_t>(&record.values[3]);
      if (type == nullptr || name == nullptr || root == nullptr || *root <= 1) continue;
      roots[static_cast<PageNumber>(*root)] = *type == "table" ? *name : "";
    }
  }
  return roots;
}

class Reading {
 public:
  Reading(const PageFile& file, const std::vector<TableShape>& tables,
          const std::function<void(const TableShape&, const Record&)>& take)
      : file_(file), tables_(tables), take_(take), claimed_(std::size_t{file.pages()} + 1, false) {}

  Losses run() {
    claim(1);
    std::set<std::string> found;
    for (const auto& [root, name] : roots_of(file_)) {
      const auto table = std::ranges::find(tables_, name, &TableShape::name);
      walk(root, table == tables_.end() ? nullptr : &*table);
      found.insert(name);
    }
    for (const TableShape& table : tables_) {
      if (!found.contains(table.name)) cut_.insert(&table);
    }
    for (const PageNumber number : file_.free_pages()) claim(number);
    for (PageNumber number = 2; number <= file_.pages() && !cut_.empty(); ++number) {
      if (!claimed_[number]) take_stray(number);
    }
    return losses_;
  }

 private:
  void claim(PageNumber number) {
    if (number >= 1 && number < claimed_.size()) claimed_[number] = true;
  }
  [[nodiscard]] bool is_free(PageNumber number) const {
    return number >= 1 && number < claimed_.size() && !claimed_[number];
  }

  /// The page holds no row of the table although the table's tree leads to it.
  [[nodiscard]] static bool is_strange(const TableShape& table, const TreePage& page) {
    const bool index = page.kind == PageKind::inner_index || page.kind == PageKind::leaf_index;
    return index != table.without_rowid ||
           (!page.records.empty() && std::none_of(page.records.begin(), page.records.end(),
                                                  [&](const auto& record) { return fits(table, record); }));
  }

  void walk(PageNumber root, const TableShape* table) {
    std::vector<PageNumber> left{root};
    while (!left.empty()) {
      const PageNumber number = left.back();
      left.pop_back();
      const auto page = is_free(number) ? file_.tree_page(number) : std::nullopt;
      if (!page || (table != nullptr && is_strange(*table, *page))) {
        if (table != nullptr) {
          cut_.insert(table);
          ++losses_.pages;
        }
        continue;
      }
      read_rows(number, table, *page);
      left.insert(left.end(), page->children.begin(), page->children.end());
    }
  }

  void read_rows(PageNumber number, const TableShape* table, const TreePage& page) {
    claim(number);
    for (const PageNumber overflow : page.overflows) claim(overflow);
    if (table == nullptr) return;
    losses_.rows += page.broken;
    for (const Record& record : page.records) {
      if (fits(*table, record)) {
        take_(*table, record);
      } else {
        ++losses_.rows;
      }
    }
  }

  /// A page that no tree leads to any more: it belongs to a table that has lost pages.
  void take_stray(PageNumber number) {
    const auto page = file_.tree_page(number);
    if (!page || page->records.empty()) return;
    std::vector<const TableShape*> whole, partly;
    for (const TableShape* table : cut_) {
      if (is_strange(*table, *page)) continue;
      const auto all = [&](const Record& record) {
        return fits(*table, record) && record.values.size() == table->columns.size();
      };
      (std::all_of(page->records.begin(), page->records.end(), all) ? whole : partly).push_back(table);
    }
    const auto& likely = whole.empty() ? partly : whole;
    if (likely.size() == 1) {
      read_rows(number, likely.front(), *page);
    } else if (!likely.empty()) {
      losses_.rows += static_cast<std::int64_t>(page->records.size());
    }
  }

  const PageFile& file_;
  const std::vector<TableShape>& tables_;
  const std::function<void(const TableShape&, const Record&)>& take_;
  std::vector<bool> claimed_;        // pages that are assigned
  std::set<const TableShape*> cut_;  // tables with pages that were not reached
  Losses losses_;
};

}  // namespace

std::vector<TableShape> table_shapes(SQLite::Database& sound) {
  std::vector<TableShape> shapes;
  SQLite::Statement rows(sound,
                         "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT "
                         "LIKE 'sqlite_%' ORDER BY name");
  while (rows.executeStep()) {
    shapes.push_back(shape_of(sound, rows.getColumn(0).getString(), rows.getColumn(1).getInt() != 0));
  }
  return shapes;
}

bool fits(const TableShape& table, const Record& record) {
  if (record.values.empty() || record.values.size() > table.columns.size()) return false;
  for (std::size_t index = 0; index < record.values.size(); ++index) {
    const Value& value = record.values[index];
    if (index == table.rowid_column) {
      if (!is_null(value)) return false;
    } else if (is_null(value) ? !table.columns[index].may_be_null : !fits_type(table.columns[index].type, value)) {
      return false;
    }
  }
  return true;
}

Losses read_tables(const PageFile& file, const std::vector<TableShape>& tables,
                   const std::function<void(const TableShape&, const Record&)>& take) {
  return Reading(file, tables, take).run();
}

}  // namespace parityd::store
