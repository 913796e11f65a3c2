#include "store/upkeep/salvage.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "store/base/connection.h"
#include "store/base/durable.h"
#include "store/base/schema.h"
#include "store/upkeep/salvage_tables.h"
#include "store/work/event_kind.h"

namespace parityd::store {
namespace fs = std::filesystem;
namespace {

/// Derived from rows of other tables: rebuilt, not saved.
constexpr std::array<std::string_view, 4> kDerived{"chains", "chain_tally", "reply_tally", "spending"};

constexpr const char* kRebuild = R"sql(
INSERT INTO chains (root, last, state, verdict, valid, repaired, created_at)
SELECT r.id, l.id, l.state, coalesce(l.verdict, ''), t.valid, t.repaired, r.created_at
FROM (SELECT root, max(id) AS last, max(valid) AS valid, max(valid AND round > 0) AS repaired FROM programs GROUP BY root) t
JOIN programs r ON r.id = t.root
JOIN programs l ON l.id = t.last;
INSERT INTO reply_tally (state, replies, prompt_tokens, completion_tokens, charged_nano_dollars)
SELECT state, count(*), sum(prompt_tokens), sum(completion_tokens), sum(charged_nano_dollars) FROM replies GROUP BY state;
INSERT INTO spending (minute, charged_nano_dollars)
SELECT reserved_at / 60000, sum(charged_nano_dollars) FROM replies GROUP BY 1;
INSERT INTO findings_text (findings_text) VALUES ('rebuild');
)sql";

/// Counts and findings keep their meaning although the program itself is lost.
constexpr const char* kStandIn =
    "INSERT OR IGNORE INTO programs (id, identity, origin, source, strategy, root, round, state, next_step, why, "
    "confirmation_hits, confirmation_rounds, options, verdict, rule, explanation, leaves, error_key, created_at, "
    "finished_at, text) "
    "SELECT DISTINCT c.{0}, 'lost:' || c.{0}, 'lost', '', '', c.{0}, 0, 'finished', '', 'lost when the database was "
    "damaged', 0, 0, '{{}}', 'invalid', 'lost', 'lost when the database was damaged', '[]', '', 0, 0, '' "
    "FROM {1} c WHERE c.{0} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM programs p WHERE p.id = c.{0})";

struct Reference {
  std::string table, column, parent, parent_column;
  bool may_be_null = true;
};

std::vector<Reference> references_of(SQLite::Database& database, const std::vector<TableShape>& tables) {
  std::vector<Reference> references;
  for (const TableShape& table : tables) {
    SQLite::Statement rows(database, "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list(?)");
    rows.bind(1, table.name);
    while (rows.executeStep()) {
      Reference reference{.table = table.name,
                          .column = rows.getColumn(0).getString(),
                          .parent = rows.getColumn(1).getString(),
                          .parent_column = rows.getColumn(2).getString()};
      for (std::size_t index = 0; index < table.columns.size(); ++index) {
        const ColumnShape& column = table.columns[index];
        if (column.name == reference.column) reference.may_be_null = column.may_be_null && index != table.rowid_column;
      }
      references.push_back(std::move(reference));
    }
  }
  return references;
}

/// Inserts rows into the new database; rows that the schema rejects are lost.
class Insertion {
 public:
  Insertion(SQLite::Database& database, Salvaged& result) : database_(database), result_(result) {}

  void add(const TableShape& table, const Record& record) {
    SQLite::Statement& statement = prepared(table, record.values.size());
    int parameter = 0;
    if (!table.without_rowid) statement.bind(++parameter, record.rowid);
    for (std::size_t index = 0; index < record.values.size(); ++index) {
      if (is_written(table, index)) bind(statement, ++parameter, record.values[index]);
    }
    try {
      const int added = statement.exec();
      result_.rows[table.name] += added;
      result_.saved += added;
    } catch (const SQLite::Exception&) {
      ++result_.rows_lost;
    }
    statement.tryReset();
  }

 private:
  [[nodiscard]] static bool is_written(const TableShape& table, std::size_t index) {
    return index != table.rowid_column && !table.columns[index].generated;
  }

  static void bind(SQLite::Statement& statement, int parameter, const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      statement.bind(parameter, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      statement.bind(parameter, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      statement.bind(parameter, *text);
    } else if (const auto* blob = std::get_if<Bytes>(&value)) {
      statement.bind(parameter, blob->bytes.data(), static_cast<int>(blob->bytes.size()));
    } else {
      statement.bind(parameter);
    }
  }

  SQLite::Statement& prepared(const TableShape& table, std::size_t values) {
    auto& statement = statements_[{table.name, values}];
    if (!statement) {
      std::string names = table.without_rowid ? "" : "rowid";
      std::string marks = table.without_rowid ? "" : "?";
      for (std::size_t index = 0; index < values; ++index) {
        if (!is_written(table, index)) continue;
        names += (names.empty() ? "" : ", ") + table.columns[index].name;
        marks += marks.empty() ? "?" : ", ?";
      }
      statement = std::make_unique<SQLite::Statement>(
          database_, fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})", table.name, names, marks));
    }
    return *statement;
  }

  SQLite::Database& database_;
  Salvaged& result_;
  std::map<std::pair<std::string, std::size_t>, std::unique_ptr<SQLite::Statement>> statements_;
};

/// Repairs references to lost rows: to a stand-in if it is a program, else to NULL; if that is not allowed, deletes the
/// row.
void mend_references(SQLite::Database& database, const std::vector<TableShape>& tables, Salvaged& result) {
  const auto references = references_of(database, tables);
  for (const Reference& each : references) {
    if (each.parent == "programs") result.stand_ins += database.exec(fmt::format(kStandIn, each.column, each.table));
  }
  for (int changed = 1; changed > 0;) {
    changed = 0;
    for (const Reference& each : references) {
      const std::string lost =
          fmt::format("WHERE {0} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {1} p WHERE p.{2} = {3}.{0})", each.column,
                      each.parent, each.parent_column, each.table);
      if (each.may_be_null) {
        changed += database.exec(fmt::format("UPDATE {} SET {} = NULL {}", each.table, each.column, lost));
      } else {
        const int gone = database.exec(fmt::format("DELETE FROM {} {}", each.table, lost));
        result.rows_lost += gone;
        result.saved -= gone;
        result.rows[each.table] -= gone;
        changed += gone;
      }
    }
  }
}

std::vector<std::string> without_triggers(SQLite::Database& database) {
  std::vector<std::string> names, texts;
  SQLite::Statement rows(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
  while (rows.executeStep()) {
    names.push_back(rows.getColumn(0).getString());
    texts.push_back(rows.getColumn(1).getString());
  }
  rows.tryReset();
  for (const auto& name : names) database.exec("DROP TRIGGER " + name);
  return texts;
}

/// Migrations to the schema of the damaged database; to the newest if its version is unknown.
std::vector<Migration> migrations_to(int version) {
  std::vector<Migration> chosen = migrations();
  if (version >= 1 && version < chosen.back().version) {
    std::erase_if(chosen, [&](const auto& each) { return each.version > version; });
  }
  return chosen;
}

void build(const PageFile& file, const fs::path& fresh, const fs::path& damaged, Millis now, Salvaged& result) {
  SQLite::Database database(fresh.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  fs::permissions(fresh, fs::perms::owner_read | fs::perms::owner_write);
  migrate(database, fresh, migrations_to(file.user_version()));
  database.exec("PRAGMA foreign_keys = OFF");
  SQLite::Transaction transaction(database);
  const auto triggers = without_triggers(database);
  const auto tables = table_shapes(database);
  for (const TableShape& table : tables) database.exec("DELETE FROM " + table.name);
  {
    Insertion insertion(database, result);
    const Losses losses = read_tables(file, tables, [&](const TableShape& table, const Record& record) {
      if (std::find(kDerived.begin(), kDerived.end(), table.name) == kDerived.end()) insertion.add(table, record);
    });
    result.pages_lost = losses.pages;
    result.rows_lost += losses.rows;
  }
  if (result.saved == 0) {
    throw StoreError(
        fmt::format("{}: is not a database, or contains nothing of parityd's any more; it was not changed. Move it "
                    "away, restore a copy (docs/storage.md), or choose another folder with --state",
                    damaged.string()),
        StoreFault::damaged);
  }
  mend_references(database, tables, result);
  for (const auto& text : triggers) database.exec(text);
  database.exec(kRebuild);
  SQLite::Statement event(database,
                          "INSERT INTO events (at, level, what, text) VALUES (?, 'error', 'database_set_aside', ?)");
  event.bind(1, now);
  event.bind(2, event_text(EventKind::database_set_aside, result.sentence()));
  event.exec();
  transaction.commit();
}

/// A link costs nothing and is made at once; on a file system without links the file is copied.
void keep(const fs::path& file, const fs::path& folder) {
  if (!fs::exists(file)) return;
  std::error_code no_links;
  fs::create_hard_link(file, folder / file.filename(), no_links);
  if (no_links) fs::copy_file(file, folder / file.filename());
  sync_path(folder / file.filename());
}

fs::path folder_for(const fs::path& file, const std::string& why, Millis now) {
  const std::string base = fmt::format("{}.{}-{:%Y%m%dT%H%M%SZ}", file.string(), why, fmt::gmtime(now / 1000));
  fs::path folder = base;
  for (int number = 2; fs::exists(folder); ++number) folder = fmt::format("{}-{}", base, number);
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::owner_all);
  return folder;
}

}  // namespace

std::string Salvaged::sentence() const {
  std::string text = fmt::format("{} rows are in the new database", saved);
  if (rows_lost > 0) text += fmt::format(", {} rows are lost", rows_lost);
  if (pages_lost > 0) text += fmt::format(", {} pages are unreadable", pages_lost);
  if (stand_ins > 0) text += fmt::format(", {} lost programs have a placeholder", stand_ins);
  return text;
}

fs::path replace_database(const fs::path& file, const std::string& why, Millis now) {
  const fs::path wal = file.string() + "-wal", index = file.string() + "-shm";
  fs::path folder;
  if (fs::exists(file)) {
    folder = folder_for(file, why, now);
    for (const auto& each : {file, wal, index}) keep(each, folder);
    sync_path(folder);
    sync_path(fs::absolute(file).parent_path());
  }
  remove_durably(wal);  // before the new file is in place: SQLite would replay the old log into it
  remove_durably(index);
  remove_durably(clean_mark_of(file));
  rename_durably(file.string() + kReplacement, file);
  return folder;
}

bool finish_replacement(const fs::path& file, Millis now) {
  if (!fs::exists(file.string() + kReplacement)) return false;
  (void)replace_database(file, "damaged", now);
  return true;
}

Salvaged salvage(const fs::path& file, Millis now) {
  const fs::path replacement = file.string() + kReplacement;
  const fs::path unfinished = replacement.string() + ".new";
  Salvaged result;
  try {
    fs::remove(unfinished);
    build(PageFile(file), unfinished, file, now, result);
    sync_path(unfinished);
    rename_durably(unfinished, replacement);
    result.kept = replace_database(file, "damaged", now);
  } catch (const SQLite::Exception& error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw_store_error(unfinished, "save what is left of the damaged database", error);
  } catch (const fs::filesystem_error& error) {
    throw StoreError(
        fmt::format("{}: cannot replace the damaged database: {}; free space on that disk and make its folder writable",
                    error.path1().string(), error.code().message()),
        StoreFault::io);
  } catch (const StoreError&) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    throw;
  }
  return result;
}

}  // namespace parityd::store
