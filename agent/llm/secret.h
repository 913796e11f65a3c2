// An API key: read once, never printed, wiped when it goes. It has no stream operator and no JSON form on purpose.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace parityd::agent {

class Secret {
 public:
  Secret() = default;  // no key: local servers need none
  explicit Secret(std::string value) : value_(std::move(value)) {}
  ~Secret() { wipe(); }
  Secret(Secret&& other) noexcept : value_(std::move(other.value_)) { other.wipe(); }  // short strings are copied
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  [[nodiscard]] Secret duplicate() const { return Secret(value_); }
  [[nodiscard]] bool empty() const { return value_.empty(); }
  /// For the one header that carries it.
  [[nodiscard]] const std::string& reveal() const { return value_; }
  /// `text` with the key, each piece of five and more of its characters, and what looks like some key, replaced by ***.
  [[nodiscard]] std::string redact(std::string_view text) const;

 private:
  void wipe() noexcept;
  std::string value_;
};

/// From the environment variable, which is then removed from ours so that no child inherits it.
[[nodiscard]] tl::expected<Secret, std::string> secret_from_environment(const std::string& variable);
/// Variables that were read, for as long as several providers that share a key are opened.
class KeyRing {
 public:
  [[nodiscard]] tl::expected<Secret, std::string> from_environment(const std::string& variable);

 private:
  std::map<std::string, Secret> read_;
};

/// From a file of $CREDENTIALS_DIRECTORY, where a supervisor puts what only this service may read (LoadCredential= of
/// systemd.exec(5)).
[[nodiscard]] tl::expected<Secret, std::string> secret_from_credential(const std::string& name);

/// From a regular file of ours (or root's) that nobody else can read.
[[nodiscard]] tl::expected<Secret, std::string> secret_from_file(const std::filesystem::path& file);

}  // namespace parityd::agent
