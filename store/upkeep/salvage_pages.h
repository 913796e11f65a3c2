// Reads a database page by page, without SQLite: its file format (https://www.sqlite.org/fileformat2.html), with every
// length and every pointer checked before it is used. Internal to store/salvage*. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parityd::store {

using PageNumber = std::uint32_t;  // from 1

struct Bytes {
  std::string bytes;
};
/// One column of a row: NULL, INTEGER, REAL, TEXT, BLOB.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Bytes>;

struct Record {
  std::int64_t rowid = 0;  // 0 in pages of an index
  std::vector<Value> values;
};

enum class PageKind { inner_index = 2, inner_table = 5, leaf_index = 10, leaf_table = 13 };

/// A page of a tree, as far as it is readable.
struct TreePage {
  PageKind kind = PageKind::leaf_table;
  std::vector<PageNumber> children;
  std::vector<Record> records;        // of leaves, and of inner pages of an index
  std::vector<PageNumber> overflows;  // the pages on which its records continue
  int broken = 0;                     // cells that are not readable
};

class PageFile {
 public:
  /// The file with the content of its write-ahead log up to the last complete commit. Throws
  /// std::filesystem::filesystem_error.
  explicit PageFile(const std::filesystem::path& file);

  [[nodiscard]] PageNumber pages() const { return pages_; }
  [[nodiscard]] int user_version() const { return user_version_; }
  /// nullopt: not a page of a tree, or nothing in it is readable.
  [[nodiscard]] std::optional<TreePage> tree_page(PageNumber number) const;
  /// Free pages, as far as the list of them can be followed.
  [[nodiscard]] std::vector<PageNumber> free_pages() const;

 private:
  [[nodiscard]] std::optional<std::string> page(PageNumber number) const;
  void read_header();
  void read_wal(const std::filesystem::path& wal);
  [[nodiscard]] bool in_range(PageNumber number) const { return number >= 1 && number <= pages_; }
  [[nodiscard]] std::optional<Record> record_at(const std::string& page, std::size_t at, PageKind kind,
                                                TreePage& found) const;
  [[nodiscard]] std::optional<std::string> payload(const std::string& page, std::size_t at, std::uint64_t length,
                                                   PageKind kind, TreePage& found) const;

  mutable std::ifstream file_, wal_;
  std::uint32_t page_size_ = 4096;
  std::uint32_t usable_ = 4096;
  PageNumber pages_ = 0;
  int user_version_ = 0;
  std::map<PageNumber, std::uint64_t> in_wal_;  // the offset of the newest version's bytes
};

}  // namespace parityd::store
