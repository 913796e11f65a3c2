#include "store/upkeep/salvage_pages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string_view>

namespace parityd::store {
namespace {

constexpr std::string_view kMagic = "SQLite format 3";
constexpr std::size_t kFileHeader = 100;
constexpr std::size_t kWalHeader = 32, kFrameHeader = 24;
constexpr std::uint32_t kWalMagic = 0x377f0682;  // its last bit: checksums of big-endian words

std::uint32_t big_endian(const std::string& bytes, std::size_t at, int count) {
  std::uint32_t value = 0;
  for (int index = 0; index < count; ++index) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(index)]);
  }
  return value;
}

/// Moves `at` past the number; nullopt if it extends beyond the bytes.
std::optional<std::uint64_t> varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int index = 0; index < 9; ++index) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    if (index == 8) return (value << 8U) | byte;
    value = (value << 7U) | (byte & 0x7FU);
    if ((byte & 0x80U) == 0) return value;
  }
  return value;
}

std::uint64_t length_of(std::uint64_t type) {
  constexpr std::uint64_t kFixed[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kFixed[type] : (type - 12) / 2;
}

std::int64_t signed_integer(const std::string& bytes, std::size_t at, std::uint64_t length) {
  std::uint64_t value = (static_cast<unsigned char>(bytes[at]) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (std::uint64_t index = 0; index < length; ++index) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[at + index]);
  }
  return static_cast<std::int64_t>(value);
}

Value value_at(const std::string& bytes, std::size_t at, std::uint64_t type) {
  const std::uint64_t length = length_of(type);
  if (type == 0) return std::monostate{};
  if (type == 8 || type == 9) return static_cast<std::int64_t>(type - 8);
  if (type <= 6) return signed_integer(bytes, at, length);
  if (type == 7) return std::bit_cast<double>(signed_integer(bytes, at, length));
  std::string part = bytes.substr(at, length);
  if (type % 2 == 0) return Bytes{std::move(part)};
  return part;
}

/// A record is the lengths of its columns, then the columns; nullopt unless it has this form to the last byte.
std::optional<std::vector<Value>> columns_of(const std::string& payload) {
  std::size_t at = 0;
  const auto header = varint(payload, at);
  if (!header || *header > payload.size() || *header < at) return std::nullopt;
  std::vector<std::uint64_t> types;
  std::uint64_t body = 0;
  while (at < *header) {
    const auto type = varint(payload, at);
    if (!type || at > *header || *type == 10 || *type == 11) return std::nullopt;
    types.push_back(*type);
    body += length_of(*type);
    if (body > payload.size()) return std::nullopt;
  }
  if (*header + body != payload.size()) return std::nullopt;
  std::vector<Value> values;
  for (const std::uint64_t type : types) {
    values.push_back(value_at(payload, at, type));
    at += length_of(type);
  }
  return values;
}

/// The running checksum of a write-ahead log.
struct WalSum {
  bool big = false;
  std::uint32_t first = 0, second = 0;

  void add(const std::string& bytes, std::size_t from, std::size_t length) {
    const auto word = [&](std::size_t at) {
      const std::uint32_t value = big_endian(bytes, at, 4);
      return big ? value : __builtin_bswap32(value);
    };
    for (std::size_t at = from; at + 8 <= from + length; at += 8) {
      first += word(at) + second;
      second += word(at + 4) + first;
    }
  }
};

bool read_bytes(std::ifstream& stream, std::uint64_t at, std::string& bytes) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(at));
  return static_cast<bool>(stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
}

bool is_page_size(std::uint32_t size) { return size >= 512 && size <= 65536 && std::has_single_bit(size); }

std::optional<PageKind> kind_of(char byte) {
  constexpr std::array kKinds{PageKind::inner_index, PageKind::inner_table, PageKind::leaf_index, PageKind::leaf_table};
  const auto kind = static_cast<PageKind>(byte);
  return std::ranges::find(kKinds, kind) == kKinds.end() ? std::nullopt : std::optional(kind);
}

}  // namespace

PageFile::PageFile(const std::filesystem::path& file)
    : file_(file, std::ios::binary), wal_(file.string() + "-wal", std::ios::binary) {
  const auto bytes = std::filesystem::file_size(file);
  read_header();
  pages_ = static_cast<PageNumber>(bytes / page_size_);
  if (wal_) read_wal(file.string() + "-wal");
  if (const auto first = page(1); first && first->starts_with(kMagic)) {
    user_version_ = static_cast<int>(big_endian(*first, 60, 4));
    const auto reserved = static_cast<unsigned char>((*first)[20]);
    usable_ = page_size_ - (reserved < 64 ? reserved : 0);
  }
}

/// The header's page size is used if it is valid; otherwise SQLite's default, which parityd's databases have.
void PageFile::read_header() {
  std::string header(kFileHeader, '\0');
  if (!read_bytes(file_, 0, header) || !header.starts_with(kMagic)) return;
  const std::uint32_t size = big_endian(header, 16, 2) == 1 ? 65536 : big_endian(header, 16, 2);
  page_size_ = usable_ = is_page_size(size) ? size : 4096;
}

void PageFile::read_wal(const std::filesystem::path& wal) {
  std::string header(kWalHeader, '\0');
  if (!read_bytes(wal_, 0, header)) return;
  const std::uint32_t magic = big_endian(header, 0, 4);
  if ((magic & ~1U) != kWalMagic || !is_page_size(big_endian(header, 8, 4))) return;
  WalSum sum{.big = (magic & 1U) != 0};
  sum.add(header, 0, 24);
  if (sum.first != big_endian(header, 24, 4) || sum.second != big_endian(header, 28, 4)) return;
  page_size_ = usable_ = big_endian(header, 8, 4);
  const std::uint64_t size = std::filesystem::file_size(wal);
  std::map<PageNumber, std::uint64_t> uncommitted;
  std::string frame(kFrameHeader + page_size_, '\0');
  for (std::uint64_t at = kWalHeader; at + frame.size() <= size && read_bytes(wal_, at, frame); at += frame.size()) {
    sum.add(frame, 0, 8);
    sum.add(frame, kFrameHeader, page_size_);
    const bool ours = frame.compare(8, 8, header, 16, 8) == 0;
    if (!ours || sum.first != big_endian(frame, 16, 4) || sum.second != big_endian(frame, 20, 4)) return;
    uncommitted[big_endian(frame, 0, 4)] = at + kFrameHeader;
    if (const std::uint32_t pages = big_endian(frame, 4, 4); pages > 0) {
      pages_ = pages;
      for (const auto& [number, where] : uncommitted) in_wal_[number] = where;
      uncommitted.clear();
    }
  }
}

std::optional<std::string> PageFile::page(PageNumber number) const {
  if (!in_range(number)) return std::nullopt;
  std::string bytes(page_size_, '\0');
  const auto newer = in_wal_.find(number);
  const bool read = newer != in_wal_.end() ? read_bytes(wal_, newer->second, bytes)
                                           : read_bytes(file_, std::uint64_t{number - 1} * page_size_, bytes);
  return read ? std::optional(std::move(bytes)) : std::nullopt;
}

/// The part of a record in its page, plus the rest from its chain of overflow pages.
std::optional<std::string> PageFile::payload(const std::string& page, std::size_t at, std::uint64_t length,
                                             PageKind kind, TreePage& found) const {
  if (length > std::uint64_t{pages_} * page_size_) return std::nullopt;
  const std::uint64_t most = kind == PageKind::leaf_table ? usable_ - 35 : (usable_ - 12) * 64 / 255 - 23;
  const std::uint64_t least = (usable_ - 12) * 32 / 255 - 23;
  std::uint64_t local = length;
  if (length > most) {
    const std::uint64_t even = least + (length - least) % (usable_ - 4);
    local = even <= most ? even : least;
  }
  if (at + local + (local < length ? 4 : 0) > usable_) return std::nullopt;
  std::string bytes = page.substr(at, local);
  PageNumber next = local < length ? big_endian(page, at + local, 4) : 0;
  while (bytes.size() < length) {
    const auto more = this->page(next);
    if (!more) return std::nullopt;
    found.overflows.push_back(next);
    bytes.append(*more, 4, std::min<std::uint64_t>(usable_ - 4, length - bytes.size()));
    next = big_endian(*more, 0, 4);
  }
  return next == 0 ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<Record> PageFile::record_at(const std::string& page, std::size_t at, PageKind kind,
                                          TreePage& found) const {
  const auto length = varint(page, at);
  const auto rowid = kind == PageKind::leaf_table ? varint(page, at) : std::optional<std::uint64_t>(0);
  if (!length || !rowid) return std::nullopt;
  const auto bytes = payload(page, at, *length, kind, found);
  auto values = bytes ? columns_of(*bytes) : std::nullopt;
  if (!values) return std::nullopt;
  return Record{.rowid = static_cast<std::int64_t>(*rowid), .values = std::move(*values)};
}

std::optional<TreePage> PageFile::tree_page(PageNumber number) const {
  const auto bytes = page(number);
  const std::size_t header = number == 1 ? kFileHeader : 0;
  const auto kind = bytes ? kind_of((*bytes)[header]) : std::nullopt;
  if (!kind) return std::nullopt;
  const bool inner = *kind == PageKind::inner_index || *kind == PageKind::inner_table;
  const std::size_t pointers = header + (inner ? 12 : 8);
  const std::uint32_t cells = big_endian(*bytes, header + 3, 2);
  if (pointers + std::size_t{cells} * 2 > usable_ || (cells == 0 && inner)) return std::nullopt;
  TreePage found{.kind = *kind};
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    std::size_t at = big_endian(*bytes, pointers + std::size_t{cell} * 2, 2);
    if (at < pointers + std::size_t{cells} * 2 || at + 4 > usable_) {
      ++found.broken;
      continue;
    }
    if (inner) found.children.push_back(big_endian(*bytes, at, 4));
    if (*kind == PageKind::inner_table) continue;
    auto record = record_at(*bytes, at + (inner ? 4 : 0), *kind, found);
    record ? found.records.push_back(std::move(*record)) : static_cast<void>(++found.broken);
  }
  if (inner) found.children.push_back(big_endian(*bytes, header + 8, 4));
  if (found.broken > 0 && found.broken == static_cast<int>(cells)) return std::nullopt;
  return found;
}

std::vector<PageNumber> PageFile::free_pages() const {
  const auto first = page(1);
  std::set<PageNumber> free;
  PageNumber trunk = first ? big_endian(*first, 32, 4) : 0;
  while (in_range(trunk) && free.insert(trunk).second) {
    const auto bytes = page(trunk);
    if (!bytes) break;
    const std::uint32_t leaves = std::min<std::uint32_t>(big_endian(*bytes, 4, 4), (usable_ - 8) / 4);
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) free.insert(big_endian(*bytes, 8 + std::size_t{leaf} * 4, 4));
    trunk = big_endian(*bytes, 0, 4);
  }
  return {free.begin(), free.end()};
}

}  // namespace parityd::store
