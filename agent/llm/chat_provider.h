// A provider over an OpenAI-compatible chat API: many requests in flight, retried by the rules of retry.h. One thread.
#pragma once

#include <tl/expected.hpp>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "agent/config.h"
#include "agent/llm/chat_completions.h"
#include "agent/llm/http.h"
#include "agent/llm/provider.h"
#include "agent/llm/retry.h"
#include "agent/llm/secret.h"

namespace parityd::agent {

class ChatProvider : public Provider {
 public:
  ChatProvider(ProviderConfig config, Secret key, HttpClient& http, std::uint64_t seed);

  [[nodiscard]] std::string name() const override { return config_.name; }
  [[nodiscard]] std::string model() const override { return config_.model; }
  [[nodiscard]] bool can_repair() const override { return true; }
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt& prompt) const override {
    return reservation(config_, prompt);
  }
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  [[nodiscard]] std::optional<std::string> stopped() const override { return stopped_; }

 private:
  struct Request {
    Prompt prompt;
    int attempts = 0;
    bool outcome_unknown = false;       // an attempt may have been answered and billed
    std::optional<TimePoint> retry_at;  // waits; not in flight
  };

  void send(RequestId id, Request& request);
  void take_response(RequestId id, const HttpResponse& response, TimePoint now, std::vector<Answer>& answers);
  void take_failure(RequestId id, const HttpError& failure, TimePoint now, std::vector<Answer>& answers);
  void retry_or_give_up(RequestId id, ChatError error, std::optional<Milliseconds> asked, TimePoint now,
                        std::vector<Answer>& answers);
  void give_up(RequestId id, const ChatError& error, std::vector<Answer>& answers);
  [[nodiscard]] double random() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  ProviderConfig config_;
  Secret key_;
  HttpClient& http_;
  std::mt19937_64 random_;
  Breaker breaker_;
  std::map<RequestId, Request> requests_;
  std::map<TransferId, RequestId> transfers_;
  std::optional<std::string> stopped_;
};

/// Reads the key. The error names the setting that is wrong.
[[nodiscard]] tl::expected<std::unique_ptr<Provider>, std::string> make_chat_provider(const ProviderConfig& config,
                                                                                      HttpClient& http,
                                                                                      std::uint64_t seed);

}  // namespace parityd::agent
