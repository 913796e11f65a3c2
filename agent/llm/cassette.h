// Cassettes: API traffic recorded as JSON Lines, without any key, and replayed without the API. One thread.
// A line is {"request": {"method", "path", "body"}, "response": {"status", "headers", "body"}}, with "error" instead of
// "response" if the request failed.
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

/// Forwards every request and records it with its result.
class CassetteRecorder : public Transport {
 public:
  /// Appends to `file`. `inner` must outlive it.
  [[nodiscard]] static tl::expected<std::unique_ptr<CassetteRecorder>, std::string> open(
      const std::filesystem::path& file, Transport& inner);
  CassetteRecorder(std::ofstream stream, Transport& inner) : stream_(std::move(stream)), inner_(inner) {}

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override;
  [[nodiscard]] std::optional<HttpResult> pop_result(TransferId id) override;
  [[nodiscard]] bool ready() const override { return inner_.ready(); }

 private:
  struct Asked {
    nlohmann::json request;
    Secret key;  // from its headers; redacted because servers echo it
  };

  std::ofstream stream_;
  Transport& inner_;
  std::map<TransferId, Asked> asked_;
};

/// Answers from a file, at once. The same request (ignoring its seed) gets the result recorded for it; repeated
/// requests get theirs in the recorded order. A request that was not recorded is refused with a description of the
/// nearest recorded one.
class CassetteReplayer : public Transport {
 public:
  struct Entry {
    std::string request;  // canonical form
    HttpResult result;
    bool used = false;
  };

  [[nodiscard]] static tl::expected<std::unique_ptr<CassetteReplayer>, std::string> open(
      const std::filesystem::path& file);
  CassetteReplayer(std::filesystem::path file, std::vector<Entry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}

  TransferId start(HttpRequest request) override;
  void cancel(TransferId id) override { results_.erase(id); }
  [[nodiscard]] std::optional<HttpResult> pop_result(TransferId id) override;
  [[nodiscard]] bool ready() const override { return !results_.empty(); }

 private:
  [[nodiscard]] HttpError miss(const std::string& request) const;

  std::filesystem::path file_;
  std::vector<Entry> entries_;
  std::map<TransferId, HttpResult> results_;
  TransferId next_ = 1;
};

}  // namespace parityd::agent
