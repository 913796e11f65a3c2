// A database connection: settings, cached statements, transactions and errors. Internal to store/. One thread.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/finding/disposition.h"
#include "oracle/names.h"
#include "store/base/error.h"
#include "store/base/ids.h"

namespace parityd::store {

/// Turns an SQLite error into a StoreError that names file, operation and remedy.
[[noreturn]] void throw_store_error(const std::filesystem::path& file, std::string_view operation,
                                    const SQLite::Exception& error);

[[nodiscard]] StoreFault fault_of(const SQLite::Exception& error);

class Connection;

/// Bytes that are not text.
struct Blob {
  std::string bytes;
};

/// A running query. The destructor resets its statement and returns it to the connection.
class Rows {
 public:
  Rows(Connection& connection, const char* operation, std::string sql, std::unique_ptr<SQLite::Statement> statement);
  ~Rows();
  Rows(Rows&& other) noexcept = default;
  Rows& operator=(Rows&&) = delete;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  /// Binds parameters in order.
  template <typename... Values>
  void bind(const Values&... values) {
    int index = 0;
    (bind_one(++index, values), ...);
  }
  [[nodiscard]] bool next();
  /// Reads the row's columns, in order. A name that the enumeration does not have leaves a value unchanged, and an
  /// optional one empty.
  template <typename... Values>
  void read(Values&... values) {
    read_from(0, values...);
  }
  /// The same from column `index` on.
  template <typename... Values>
  void read_from(int index, Values&... values) {
    (read_one(index++, values), ...);
  }

  /// The next row, its columns read into these members, in order; without members the row is a single value, its only
  /// column. nullopt if there are no more rows.
  template <typename Row, typename... Members>
  [[nodiscard]] std::optional<Row> one(Members... members) {
    if (!next()) return std::nullopt;
    Row row{};
    if constexpr (sizeof...(members) == 0) {
      read(row);
    } else {
      read(row.*members...);
    }
    return row;
  }
  /// All remaining rows, as one() reads them.
  template <typename Row, typename... Members>
  [[nodiscard]] std::vector<Row> all(Members... members) {
    std::vector<Row> found;
    while (auto row = one<Row>(members...)) found.push_back(std::move(*row));
    return found;
  }
  /// The only column of the next row; the value's default if there is no row.
  template <typename Value>
  [[nodiscard]] Value value() {
    return one<Value>().value_or(Value{});
  }
  /// The result of `reader` for the next row; nullopt if there is none.
  template <typename Reader>
  [[nodiscard]] auto first(Reader reader) {
    return next() ? std::optional(reader(*this)) : std::nullopt;
  }
  /// The results of `reader` for all remaining rows.
  template <typename Reader>
  [[nodiscard]] auto each(Reader reader) {
    std::vector<decltype(reader(*this))> found;
    while (next()) found.push_back(reader(*this));
    return found;
  }

 private:
  void bind_one(int index, std::int64_t value) { statement_->bind(index, value); }
  void bind_one(int index, int value) { statement_->bind(index, value); }
  void bind_one(int index, bool value) { statement_->bind(index, value ? 1 : 0); }
  void bind_one(int index, double value) { statement_->bind(index, value); }
  void bind_one(int index, const std::string& value) { statement_->bind(index, value); }
  void bind_one(int index, const char* value) { statement_->bind(index, value); }
  void bind_one(int index, std::string_view value) { statement_->bind(index, std::string(value)); }
  void bind_one(int index, const Blob& value) {
    statement_->bind(index, value.bytes.data(), static_cast<int>(value.bytes.size()));
  }
  template <oracle::Named Enum>
  void bind_one(int index, Enum value) {
    bind_one(index, oracle::name(value));
  }
  void bind_one(int index, const oracle::Disposition& value) { bind_one(index, value.text()); }
  void bind_one(int index, const std::vector<std::string>& names);  // as a JSON array
  template <typename Value>
  void bind_one(int index, const std::optional<Value>& value) {
    if (value) {
      bind_one(index, *value);
    } else {
      statement_->bind(index);
    }
  }
  void read_one(int index, std::int64_t& value) const { value = statement_->getColumn(index).getInt64(); }
  void read_one(int index, int& value) const { value = statement_->getColumn(index).getInt(); }
  void read_one(int index, bool& value) const { value = statement_->getColumn(index).getInt() != 0; }
  void read_one(int index, double& value) const { value = statement_->getColumn(index).getDouble(); }
  void read_one(int index, Blob& value) const { value.bytes = statement_->getColumn(index).getString(); }
  void read_one(int index, std::string& value) const { value = statement_->getColumn(index).getString(); }
  template <oracle::Named Enum>
  void read_one(int index, Enum& value) const {
    value = oracle::from_name<Enum>(statement_->getColumn(index).getString()).value_or(value);
  }
  /// A disposition that cannot be parsed becomes held(unreadable).
  void read_one(int index, oracle::Disposition& value) const {
    value =
        oracle::disposition_from_text(statement_->getColumn(index).getString()).value_or(oracle::held("unreadable"));
  }
  void read_one(int index, std::vector<std::string>& names) const;
  template <oracle::Named Enum>
  void read_one(int index, std::optional<Enum>& value) const {
    value = oracle::from_name<Enum>(statement_->getColumn(index).getString());
  }
  template <typename Value>
  void read_one(int index, std::optional<Value>& value) const {
    value.reset();
    if (!statement_->getColumn(index).isNull()) {
      Value held{};
      read_one(index, held);
      value = std::move(held);
    }
  }

  Connection* connection_;
  const char* operation_;
  std::string sql_;
  std::unique_ptr<SQLite::Statement> statement_;
};

/// After an I/O error or damage, the state that SQLite holds in memory is no longer trusted: a failed fsync may have
/// dropped pages that SQLite takes for written. From then on every call throws; the owner must open the file again.
class Connection {
 public:
  Connection(std::filesystem::path file, Access access, std::chrono::milliseconds read_limit);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// `operation` describes the operation in error messages: "add a program".
  template <typename... Values>
  [[nodiscard]] Rows query(const char* operation, const char* sql, const Values&... values) {
    Rows rows = prepared(operation, sql);
    rows.bind(values...);
    return rows;
  }
  template <typename... Values>
  void run(const char* operation, const char* sql, const Values&... values) {
    Rows rows = query(operation, sql, values...);
    while (rows.next()) {
    }
  }
  /// Runs `work` in one transaction; rolls back if it throws. Nested calls join the outer one.
  void transaction(const std::function<void()>& work);
  /// The number of failed transactions, nested ones included: anything cached within one may not be in the
  /// database.
  [[nodiscard]] std::int64_t failed() const { return failed_; }
  [[nodiscard]] Id last_id() const { return database_->getLastInsertRowid(); }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] bool unchecked() const { return !sound_; }
  void note_checked() { sound_ = true; }
  /// Empties the write-ahead log; false if a reader's snapshot prevents it.
  bool checkpoint();

 private:
  friend class Rows;
  [[noreturn]] void fail(const char* operation, const SQLite::Exception& error);
  void check_trusted(const char* operation) const;
  [[nodiscard]] Rows prepared(const char* operation, const char* sql);
  void open(Access access);
  void execute(const char* operation, const char* sql);

  std::filesystem::path file_;
  Access access_;
  bool sound_ = true;    // closed cleanly before, or checked since
  bool trusted_ = true;  // no I/O error and no damage so far
  bool opened_ = false;
  std::chrono::milliseconds read_limit_;
  std::chrono::steady_clock::time_point read_until_;
  std::unique_ptr<SQLite::Database> database_;
  std::map<std::string, std::vector<std::unique_ptr<SQLite::Statement>>> idle_;  // by SQL; outlived by the database
  int depth_ = 0;
  bool doomed_ = false;
  std::int64_t failed_ = 0;
};

}  // namespace parityd::store
