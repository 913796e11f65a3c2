#include "agent/llm/secret.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace parityd::agent {

namespace {

/// Length of a piece to hide: servers echo the first and last few characters of a key.
constexpr std::size_t kTellingPiece = 5;

/// `text` with *** for every stretch made of pieces of `key` of at least five characters.
std::string without_pieces(const std::string& text, const std::string& key) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    while (at + length < text.size() && key.find(text.substr(at, length + 1)) != std::string::npos) ++length;
    if (length >= std::min(kTellingPiece, key.size())) {
      result += "***";
      at += length;
    } else {
      result += text[at++];
    }
  }
  return result;
}

tl::expected<Secret, std::string> checked(std::string value, const std::string& source) {
  while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())) != 0) value.pop_back();
  if (value.empty()) return tl::unexpected(fmt::format("{} is empty", source));
  // The key is put into a header: a line break in it would start another header.
  if (!std::all_of(value.begin(), value.end(), [](char c) { return c > 0x20 && c < 0x7f; })) {
    return tl::unexpected(fmt::format("{} contains characters that are not allowed in a key", source));
  }
  return Secret(std::move(value));
}

/// Reads the file's first line.
tl::expected<Secret, std::string> read_secret(const std::filesystem::path& file, const std::string& source) {
  std::ifstream stream(file);
  std::string value;
  std::getline(stream, value);
  return checked(std::move(value), source);
}

}  // namespace

void Secret::wipe() noexcept {
  value_.resize(value_.capacity());  // moved or shortened strings may still be in the buffer
  explicit_bzero(value_.data(), value_.size());
  value_.clear();
}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    value_ = std::move(other.value_);
    other.wipe();
  }
  return *this;
}

std::string Secret::redact(std::string_view text) const {
  std::string result = value_.empty() ? std::string(text) : without_pieces(std::string(text), value_);
  // Other keys, and the remains of ours that servers mask with stars themselves.
  static const RE2 kShapes(
      R"((?i)\b(sk|pk|rk|gsk|xai|key)-[A-Za-z0-9*._-]{6,}|AIza[A-Za-z0-9_-]{8,}|Bearer\s+\S+|[^\s"']*\*{3,}[^\s"']*)");
  RE2::GlobalReplace(&result, kShapes, "***");
  return result;
}

tl::expected<Secret, std::string> secret_from_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') {
    return tl::unexpected(fmt::format("the environment variable {} (api_key_env) is not set", variable));
  }
  std::string copy(value);
  unsetenv(variable.c_str());
  return checked(std::move(copy), fmt::format("the environment variable {} (api_key_env)", variable));
}

tl::expected<Secret, std::string> KeyRing::from_environment(const std::string& variable) {
  auto known = read_.find(variable);
  if (known == read_.end()) {
    auto key = secret_from_environment(variable);
    if (!key) return key;
    known = read_.emplace(variable, std::move(*key)).first;
  }
  return known->second.duplicate();
}

tl::expected<Secret, std::string> secret_from_credential(const std::string& name) {
  const char* folder = std::getenv("CREDENTIALS_DIRECTORY");
  const std::string source = fmt::format("the credential {} (api_key_credential)", name);
  if (folder == nullptr || *folder == '\0') {
    return tl::unexpected(
        fmt::format("{}: there is no $CREDENTIALS_DIRECTORY; the unit needs LoadCredential={}:FILE", source, name));
  }
  const auto file = std::filesystem::path(folder) / name;
  struct stat status {};
  // The group bits are the mask of an access list: systemd grants the service's user access by one.
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || (status.st_mode & 07) != 0) {
    return tl::unexpected(fmt::format("{}: {} is not a file that only this service can read", source, file.string()));
  }
  return read_secret(file, source);
}

tl::expected<Secret, std::string> secret_from_file(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return tl::unexpected(fmt::format("{} (api_key_file) is not a regular file", file.string()));
  }
  if ((status.st_mode & 077) != 0) {
    return tl::unexpected(
        fmt::format("{} (api_key_file) can be read by others; run: chmod 600 {}", file.string(), file.string()));
  }
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return tl::unexpected(fmt::format("{} (api_key_file) belongs to another user", file.string()));
  }
  return read_secret(file, fmt::format("{} (api_key_file)", file.string()));
}

}  // namespace parityd::agent
