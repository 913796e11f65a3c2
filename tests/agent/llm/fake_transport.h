// A server without sockets or time: a function answers each request at once.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "agent/llm/transport.h"

namespace parityd::agent::testing {

class FakeTransport : public Transport {
 public:
  using Answer = std::function<HttpResult(const HttpRequest&)>;
  explicit FakeTransport(Answer answer) : answer_(std::move(answer)) {}

  TransferId start(HttpRequest request) override {
    (request.get ? probes : requests) += 1;
    results_.emplace(next_, answer_(request));
    return next_++;
  }
  void cancel(TransferId id) override { results_.erase(id); }
  [[nodiscard]] std::optional<HttpResult> pop_result(TransferId id) override {
    const auto found = results_.find(id);
    if (found == results_.end()) {
      return std::nullopt;
    }
    HttpResult result = std::move(found->second);
    results_.erase(found);
    return result;
  }
  [[nodiscard]] bool ready() const override { return !results_.empty(); }

  int requests = 0, probes = 0;

 private:
  Answer answer_;
  std::map<TransferId, HttpResult> results_;
  TransferId next_ = 1;
};

inline HttpResponse completion(const std::string& text) {
  const nlohmann::json body{
      {"model", "m"},
      {"choices", {{{"finish_reason", "stop"}, {"message", {{"role", "assistant"}, {"content", text}}}}}},
      {"usage", {{"prompt_tokens", 10}, {"completion_tokens", 10}}}};
  return {.status = 200, .headers = {}, .body = body.dump()};
}

inline HttpResponse failure(int status, const std::string& message, const std::string& param = "") {
  const nlohmann::json body{
      {"error", {{"message", message}, {"code", param.empty() ? "" : "unsupported_parameter"}, {"param", param}}}};
  return {.status = status, .headers = {}, .body = body.dump()};
}

}  // namespace parityd::agent::testing
