#include "agent/fixing/torch_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/fixing/sha256.h"

namespace parityd::agent {
namespace {
namespace fs = std::filesystem;

using Hashes = std::map<std::string, std::string>;

std::string hash_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return stream.bad() || !stream.is_open() ? std::string() : sha256(text);
}

Hashes hashes_below(const fs::path& torch_folder) {
  Hashes hashes;
  const fs::path site_packages = torch_folder.parent_path();
  for (const auto& entry :
       fs::recursive_directory_iterator(torch_folder, fs::directory_options::skip_permission_denied)) {
    std::error_code gone;
    if (entry.path().extension() != ".py" || entry.is_directory(gone)) continue;
    const bool regular = entry.is_regular_file(gone);  // a pipe would never end
    hashes.emplace(entry.path().lexically_relative(site_packages).generic_string(),
                   regular ? hash_of_file(entry.path()) : std::string());
  }
  return hashes;
}

/// Hexadecimal digits of URL-safe base64 without padding; other characters end it.
std::string hex_of_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr unsigned kBitsOfLetter = 6;
  constexpr unsigned kBitsOfByte = 8;
  std::string digits;
  unsigned pending = 0;
  unsigned bits = 0;
  for (const char letter : text) {
    const auto value = kAlphabet.find(letter);
    if (value == std::string_view::npos) break;
    pending = (pending << kBitsOfLetter | static_cast<unsigned>(value)) & 0xFFFFU;
    bits += kBitsOfLetter;
    if (bits < kBitsOfByte) continue;
    bits -= kBitsOfByte;
    digits += fmt::format("{:02x}", pending >> bits & 0xFFU);
  }
  return digits;
}

/// The folder with the metadata of the installed package: "torch-2.13.0.dist-info".
std::optional<fs::path> record_beside(const fs::path& torch_folder) {
  const std::string begin = torch_folder.filename().string() + "-";
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(torch_folder.parent_path(), unreadable)) {
    const fs::path record = entry.path() / "RECORD";
    if (entry.path().filename().string().starts_with(begin) && entry.path().extension() == ".dist-info" &&
        fs::is_regular_file(record, unreadable)) {
      return record;
    }
  }
  return std::nullopt;
}

/// Its rows are "torch/_VF.py,sha256=XIfh…,664". A row in any other form is not one of torch's Python files.
Hashes recorded(const fs::path& record) {
  Hashes hashes;
  std::ifstream stream(record);
  for (std::string line; std::getline(stream, line);) {
    constexpr std::string_view kHash = ".py,sha256=";
    const auto at = line.find(kHash);
    if (!line.starts_with("torch/") || at == std::string::npos) continue;
    hashes.emplace(line.substr(0, at + std::string_view(".py").size()),
                   hex_of_base64(std::string_view(line).substr(at + kHash.size())));
  }
  return hashes;
}

/// Names of what differs between them.
std::vector<std::string> differing(const Hashes& one, const Hashes& other) {
  std::vector<std::string> names;
  for (const auto& [file, hash] : one) {
    const auto found = other.find(file);
    if (found == other.end() || found->second != hash) names.push_back(file);
  }
  for (const auto& [file, hash] : other) {
    if (!one.contains(file)) names.push_back(file);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

TorchRecord::TorchRecord(fs::path torch_folder)
    : torch_folder_(std::move(torch_folder)), hashes_(hashes_below(torch_folder_)) {
  if (const auto record = record_beside(torch_folder_)) modified_ = differing(hashes_, recorded(*record));
}

std::vector<std::string> TorchRecord::changed() const { return differing(hashes_, hashes_below(torch_folder_)); }

std::string some_files(const std::vector<std::string>& files, std::size_t most) {
  const auto shown = std::min(most, files.size());
  const auto text =
      fmt::format("{}", fmt::join(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return shown == files.size() ? text : fmt::format("{} and {} more", text, files.size() - shown);
}

}  // namespace parityd::agent
