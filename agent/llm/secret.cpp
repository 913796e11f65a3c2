#include "agent/llm/secret.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

namespace parityd::agent {

void Secret::wipe() noexcept {
  if (!value_.empty()) {
    explicit_bzero(value_.data(), value_.size());
    value_.clear();
  }
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
  std::string result(text);
  if (!value_.empty()) {
    for (auto at = result.find(value_); at != std::string::npos; at = result.find(value_, at + 3)) {
      result.replace(at, value_.size(), "***");
    }
  }
  // Servers echo a key in part ("sk-abc…xyz"): common shapes go too.
  static const RE2 kShapes(R"((?i)\b(sk|key|api|gsk|xai|AIza)[-_]?[A-Za-z0-9*._-]{8,}|Bearer\s+\S+)");
  RE2::GlobalReplace(&result, kShapes, "***");
  return result;
}

tl::expected<Secret, std::string> secret_from_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') {
    return tl::unexpected(fmt::format("the environment variable {} (api_key_env) is not set", variable));
  }
  Secret secret{std::string(value)};
  unsetenv(variable.c_str());
  return secret;
}

tl::expected<Secret, std::string> secret_from_file(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return tl::unexpected(fmt::format("{} (api_key_file) is no regular file", file.string()));
  }
  if ((status.st_mode & 077) != 0) {
    return tl::unexpected(
        fmt::format("{} (api_key_file) can be read by others; run: chmod 600 {}", file.string(), file.string()));
  }
  std::ifstream stream(file);
  std::string value;
  std::getline(stream, value);
  while (!value.empty() && (value.back() == '\r' || value.back() == ' ')) {
    value.pop_back();
  }
  if (value.empty()) {
    return tl::unexpected(fmt::format("{} (api_key_file) is empty", file.string()));
  }
  return Secret(std::move(value));
}

}  // namespace parityd::agent
