#include "recording.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "oracle/finding/json.h"

namespace parityd::worker {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kPrefix = 7 + 16 + 1;  // the mark, the header's length, a newline

std::size_t aligned(std::size_t position) { return (position + kAlignment - 1) / kAlignment * kAlignment; }

class OutputFile {
 public:
  explicit OutputFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), path);
  }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() { close(descriptor_); }

  void write_at(std::size_t position, const void* data, std::size_t size) const {
    const auto* from = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t count = pwrite(descriptor_, from, size, static_cast<off_t>(position));
      if (count < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "artefact");
      const std::size_t written = count < 0 ? 0 : static_cast<std::size_t>(count);
      from += written;
      position += written;
      size -= written;
    }
  }

  void resize(std::size_t size) const {
    if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
      throw std::system_error(errno, std::generic_category(), "artefact");
  }

 private:
  int descriptor_;
};

/// Assigns each storage its position, starting at `first`; returns the end of the last one.
std::size_t place_storages(const oracle::RunRecord& record, std::size_t first, nlohmann::json& places) {
  places = nlohmann::json::array();
  std::size_t position = first;
  std::size_t end = first;
  for (const auto& storage : record.storages) {
    places.push_back({{"at", position}, {"size", storage.size}});
    end = position + storage.size;
    position = aligned(end);
  }
  return end;
}

std::string text_of(const nlohmann::json& header) {
  return header.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

oracle::Mode mode_named(const std::string& name) {
  const auto mode = oracle::from_name<oracle::Mode>(name);
  if (!mode) throw std::invalid_argument("no such mode: " + name);
  return *mode;
}

int Recording::adopt_storage(std::unique_ptr<std::byte[]> bytes, std::size_t size) {
  bytes_.push_back(std::move(bytes));
  record_.storages.push_back({.data = bytes_.back().get(), .size = size});
  size_ += size;
  return static_cast<int>(record_.storages.size()) - 1;
}

int Recording::add_on_device(const std::byte* bytes, std::size_t size) {
  record_.storages.push_back({.data = bytes, .size = size, .on_device = true});
  size_ += size;
  return static_cast<int>(record_.storages.size()) - 1;
}

void Recording::bring_to_host(int storage, std::unique_ptr<std::byte[]> bytes) {
  bytes_.push_back(std::move(bytes));
  oracle::StorageView& view = record_.storages.at(static_cast<std::size_t>(storage));
  view = {.data = bytes_.back().get(), .size = view.size};
}

void write_artefact(const std::string& path, std::string_view outcome, const Recording& recording) {
  const oracle::RunRecord& record = recording.record();
  nlohmann::json header{{"mode", oracle::name(record.mode)}, {"outcome", nlohmann::json::parse(outcome)}};
  header["leaves"] = record.leaves;
  // Positions are part of the header and shift with its length: leave room for the longest numbers.
  place_storages(record, std::size_t{1} << 50, header["storages"]);
  const std::size_t first = aligned(kPrefix + text_of(header).size());
  const std::size_t end = place_storages(record, first, header["storages"]);
  const std::string text = text_of(header);

  std::array<char, kPrefix + 1> prefix{};
  std::snprintf(prefix.data(), prefix.size(), "PDRUN1\n%016zx\n", text.size());
  const std::string temporary = path + ".part";
  unlink(temporary.c_str());
  {
    const OutputFile file(temporary);
    file.write_at(0, prefix.data(), kPrefix);
    file.write_at(kPrefix, text.data(), text.size());
    for (std::size_t i = 0; i < record.storages.size(); ++i)
      file.write_at(header["storages"][i]["at"].get<std::size_t>(), record.storages[i].data, record.storages[i].size);
    file.resize(record.storages.empty() ? kPrefix + text.size() : end);
  }
  if (rename(temporary.c_str(), path.c_str()) != 0) throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace parityd::worker
