#include "executor/artefact.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "executor/confine/descriptor.h"
#include "executor/protocol.h"
#include "oracle/finding/json.h"
#include "oracle/json_read.h"
#include "oracle/measure/layout.h"

namespace parityd::executor {
namespace {

constexpr std::string_view kMagic = "PDRUN1\n";
constexpr std::size_t kLengthDigits = 16;
constexpr std::size_t kPrefix = kMagic.size() + kLengthDigits + 1;
constexpr std::size_t kStorageAlignment = 64;
constexpr std::size_t kLongestHeader = std::size_t{32} << 20;
constexpr std::size_t kMostLeaves = 100'000;
constexpr std::size_t kMostStorages = 100'000;
constexpr std::size_t kMostDimensions = 64;
// Of all leaves together, about a second of comparing: expanded tensors can claim any number of elements in one byte of
// storage.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

[[noreturn]] void fail(const std::string& what) { throw Malformed(what); }

[[noreturn]] void fail_with_errno(const std::string& what) {
  fail(what + ": " + std::generic_category().message(errno));
}

struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
};

/// The program may have left anything under this name: a link to someone else's file, a pipe that never answers, a
/// device.
std::size_t checked_size(int descriptor, std::size_t size_cap) {
  struct stat facts {};
  if (fstat(descriptor, &facts) != 0) fail_with_errno("cannot be examined");
  if (!S_ISREG(facts.st_mode)) fail("is not a regular file");
  if (facts.st_nlink != 1) fail("has " + std::to_string(facts.st_nlink) + " links, one is allowed");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > size_cap) fail("holds " + std::to_string(size) + " bytes, more than " + std::to_string(size_cap));
  return size;
}

Bytes read_bytes(const std::filesystem::path& file, std::size_t size_cap) {
  const std::filesystem::path folder_path = file.has_parent_path() ? file.parent_path() : ".";
  const Descriptor folder(open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.number() < 0) fail_with_errno("its folder cannot be opened");
  const Descriptor descriptor(
      openat(folder.number(), file.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (descriptor.number() < 0) fail_with_errno(errno == ELOOP ? "is a symbolic link" : "cannot be opened");
  Bytes bytes;
  bytes.size = checked_size(descriptor.number(), size_cap);
  bytes.data = std::make_unique_for_overwrite<std::byte[]>(bytes.size);
  std::size_t done = 0;
  while (done < bytes.size) {
    const ssize_t count = read(descriptor.number(), bytes.data.get() + done, bytes.size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno("cannot be read");
    if (count == 0) fail("ended after " + std::to_string(done) + " of " + std::to_string(bytes.size) + " bytes");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data.get()), bytes.size}; }

/// The header's text; checks everything before it.
std::string_view header_of(std::string_view text) {
  if (text.size() < kPrefix) fail("is too short for a header: " + std::to_string(text.size()) + " bytes");
  if (!text.starts_with(kMagic)) fail("does not begin with PDRUN1");
  const std::string_view digits = text.substr(kMagic.size(), kLengthDigits);
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length, 16);
  if (error != std::errc{} || end != digits.data() + digits.size() || text[kPrefix - 1] != '\n')
    fail("its header's length is not 16 hexadecimal digits and a newline");
  if (length > text.size() - kPrefix) fail("its header of " + std::to_string(length) + " bytes goes past the end");
  if (length > kLongestHeader) fail("its header of " + std::to_string(length) + " bytes is too long");
  return text.substr(kPrefix, length);
}

struct Place {
  std::size_t at, size;
};

Place place_of(const nlohmann::json& item, std::size_t number, std::size_t header_end, std::size_t file_size) {
  const std::string where = "storage " + std::to_string(number) + " ";
  const Place place{oracle::json_read::required<std::size_t>(item, "at"),
                    oracle::json_read::required<std::size_t>(item, "size")};
  if (place.at % kStorageAlignment != 0) fail(where + "is not at a multiple of " + std::to_string(kStorageAlignment));
  if (place.at < header_end && place.size > 0) fail(where + "lies in the header");
  if (place.size > 0 && (place.at > file_size || place.size > file_size - place.at)) fail(where + "goes past the end");
  return place;
}

void refuse_overlaps(std::vector<Place> places) {
  places.erase(std::remove_if(places.begin(), places.end(), [](const Place& place) { return place.size == 0; }),
               places.end());
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (places[i].at < places[i - 1].at + places[i - 1].size)
      fail("two storages overlap at byte " + std::to_string(places[i].at));
  }
}

std::vector<oracle::StorageView> storages_of(const nlohmann::json& header, const Bytes& bytes, std::size_t header_end) {
  const nlohmann::json* const list = oracle::json_read::find(header, "storages");
  std::vector<oracle::StorageView> storages;
  if (list == nullptr) return storages;
  if (oracle::json_read::array_of(*list, "storages").size() > kMostStorages) fail("has too many storages");
  std::vector<Place> places;
  for (const auto& item : *list) {
    const Place place = place_of(item, places.size(), header_end, bytes.size);
    places.push_back(place);
    storages.push_back({place.size == 0 ? bytes.data.get() : bytes.data.get() + place.at, place.size});
  }
  refuse_overlaps(places);
  return storages;
}

std::vector<oracle::Leaf> leaves_of(const nlohmann::json& header, const std::vector<oracle::StorageView>& storages) {
  const nlohmann::json* const list = oracle::json_read::find(header, "leaves");
  std::vector<oracle::Leaf> leaves;
  if (list == nullptr) return leaves;
  if (oracle::json_read::array_of(*list, "leaves").size() > kMostLeaves) fail("has too many leaves");
  std::unordered_set<std::string> paths;
  std::int64_t elements = 0;
  for (const auto& item : *list) {
    auto leaf = item.get<oracle::Leaf>();
    if (!paths.insert(leaf.path).second) fail("leaf " + leaf.path + " appears twice");
    if (leaf.shape.size() > kMostDimensions) fail("leaf " + leaf.path + " has too many dimensions");
    const std::string fault = leaf.is_tensor ? oracle::layout::fault(leaf, storages) : "";
    if (!fault.empty()) fail("leaf " + leaf.path + ": " + fault);
    elements += leaf.is_tensor && leaf.storage >= 0 ? oracle::layout::element_count(leaf) : 0;
    if (elements > kMostElements) fail("its leaves have more than " + std::to_string(kMostElements) + " elements");
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

oracle::RunRecord record_of(const Bytes& bytes, const std::filesystem::path& file) {
  const std::string_view text = header_of(text_of(bytes));
  const nlohmann::json header = nlohmann::json::parse(text);
  oracle::RunRecord record;
  record.mode = oracle::json_read::require_name<oracle::Mode>(header, "mode");
  if (file.filename() != artefact_name(record.mode))
    fail("says that it is of mode " + std::string(name(record.mode)) + ", its name says otherwise");
  record.outcome = oracle::json_read::require(header, "outcome").get<oracle::Outcome>();
  if (record.outcome.kind != oracle::OutcomeKind::ran && record.outcome.kind != oracle::OutcomeKind::raised)
    fail("a process that " + std::string(name(record.outcome.kind)) + " writes no file");
  record.storages = storages_of(header, bytes, kPrefix + text.size());
  record.leaves = leaves_of(header, record.storages);
  if (record.outcome.kind != oracle::OutcomeKind::ran) record.leaves.clear();
  return record;
}

}  // namespace

std::string artefact_name(oracle::Mode mode) { return std::string(name(mode)) + ".run"; }

tl::expected<Artefact, std::string> read_artefact(const std::filesystem::path& file, std::size_t size_cap) {
  try {
    Bytes bytes = read_bytes(file, size_cap);
    Artefact artefact;
    artefact.record_ = record_of(bytes, file);
    artefact.bytes_ = std::move(bytes.data);
    return artefact;
  } catch (const Malformed& malformed) {
    return tl::unexpected(printable(file.string() + ": " + malformed.what()));
  } catch (const nlohmann::json::exception& error) {
    return tl::unexpected(printable(file.string() + ": " + error.what()));
  }
}

}  // namespace parityd::executor
