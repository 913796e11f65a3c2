// Cassettes: what an API answered, kept as JSON Lines without any key, and given again without it. One thread.
// A line is {"request": {"method", "path", "body"}, "response": {"status", "headers", "body"}}, or "error" in the
// response's place.
#pragma once

#include <tl/expected.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "agent/llm/secret.h"
#include "agent/llm/transport.h"

namespace parityd::agent {

/// Passes everything on and writes down each request with what it got.
class CassetteRecorder : public Transport {
 public:
  /// Appends to `file`. `inner` must outlive it.
  [[nodiscard]] static tl::expected<std::unique_ptr<CassetteRecorder>, std::string> open(
      const std::filesystem::path& file, Transport& inner);
  CassetteRecorder(std::ofstream stream, Transport& inner) : stream_(std::move(stream)), inner_(inner) {}

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override;
  [[nodiscard]] std::optional<HttpResult> take(TransferId id) override;
  [[nodiscard]] bool ready() const override { return inner_.ready(); }

 private:
  struct Asked {
    nlohmann::json request;
    Secret key;  // of its headers: servers echo it
  };

  std::ofstream stream_;
  Transport& inner_;
  std::map<TransferId, Asked> asked_;
};

/// Answers from a file, at once: the same request (but for its seed) gets what was recorded for it, the first the
/// first. One that was not recorded is refused with words about the nearest that was.
class CassetteReplayer : public Transport {
 public:
  struct Entry {
    std::string request;  // canonical
    HttpResult result;
    bool used = false;
  };

  [[nodiscard]] static tl::expected<std::unique_ptr<CassetteReplayer>, std::string> open(
      const std::filesystem::path& file);
  CassetteReplayer(std::filesystem::path file, std::vector<Entry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override { results_.erase(id); }
  [[nodiscard]] std::optional<HttpResult> take(TransferId id) override;
  [[nodiscard]] bool ready() const override { return !results_.empty(); }

 private:
  [[nodiscard]] HttpError miss(const std::string& request) const;

  std::filesystem::path file_;
  std::vector<Entry> entries_;
  std::map<TransferId, HttpResult> results_;
  TransferId next_ = 1;
};

}  // namespace parityd::agent
