// An API key: read once, never printed, wiped when destroyed. Deliberately without a stream operator or a JSON form.
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
  /// The key itself, for the header that carries it.
  [[nodiscard]] const std::string& reveal() const { return value_; }
  /// `text` with *** for the key, for each piece of it of at least five characters, and for anything that looks like a
  /// key.
  [[nodiscard]] std::string redact(std::string_view text) const;

 private:
  void wipe() noexcept;
  std::string value_;
};

/// Reads the environment variable, then removes it from the environment so that no child inherits it.
[[nodiscard]] tl::expected<Secret, std::string> secret_from_environment(const std::string& variable);
/// Remembers the variables read while providers are opened: several of them may share a key.
class KeyRing {
 public:
  [[nodiscard]] tl::expected<Secret, std::string> from_environment(const std::string& variable);

 private:
  std::map<std::string, Secret> read_;
};

/// Reads a file of $CREDENTIALS_DIRECTORY, where a supervisor puts what only this service may read (LoadCredential= of
/// systemd.exec(5)).
[[nodiscard]] tl::expected<Secret, std::string> secret_from_credential(const std::string& name);

/// Reads a regular file that belongs to our user or root and that nobody else can read.
[[nodiscard]] tl::expected<Secret, std::string> secret_from_file(const std::filesystem::path& file);

}  // namespace parityd::agent
