// A provider over an OpenAI-compatible chat API: many requests in flight, retried by the rules of retry.h. One thread.
// It takes all that the HttpClient completes: one provider a client.
#pragma once

#include <tl/expected.hpp>

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
  ~ChatProvider() override;
  ChatProvider(const ChatProvider&) = delete;
  ChatProvider& operator=(const ChatProvider&) = delete;

  [[nodiscard]] std::string name() const override { return config_.name; }
  [[nodiscard]] std::string model() const override { return config_.model; }
  [[nodiscard]] bool can_repair() const override { return true; }
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt& prompt) const override {
    return reservation(config_, prompt);
  }
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override { return deadline_; }
  [[nodiscard]] std::optional<std::string> stopped() const override { return stopped_; }

 private:
  struct Request {
    Prompt prompt;
    int attempts = 0;
    int unknown = 0;                    // attempts that may have been answered and billed
    std::optional<TimePoint> retry_at;  // waits; not in flight
  };
  using Requests = std::map<RequestId, Request>;

  void send(RequestId id, Request& request);
  void take_response(Requests::iterator at, const HttpResponse& response, TimePoint now, std::vector<Answer>& answers);
  void take_failure(Requests::iterator at, const HttpError& failure, TimePoint now, std::vector<Answer>& answers);
  void retry_or_give_up(Requests::iterator at, const ChatError& error, std::optional<Milliseconds> asked, TimePoint now,
                        std::vector<Answer>& answers);
  void give_up(Requests::iterator at, const ChatError& error, std::vector<Answer>& answers);
  void send_due(TimePoint now);
  void give_up_waiting(std::vector<Answer>& answers);
  [[nodiscard]] std::optional<TimePoint> deadline(TimePoint now) const;
  [[nodiscard]] bool may_send(TimePoint now) const;
  [[nodiscard]] std::int64_t cost_of_unknown(const Request& request) const;
  [[nodiscard]] double random() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  ProviderConfig config_;
  Secret key_;
  HttpClient& http_;
  std::mt19937_64 random_;
  Breaker breaker_;
  Requests requests_;
  std::map<TransferId, RequestId> transfers_;  // in flight
  std::optional<TimePoint> deadline_;
  std::optional<std::string> stopped_;
};

/// Reads the key. The error names the setting that is wrong.
[[nodiscard]] tl::expected<std::unique_ptr<Provider>, std::string> make_chat_provider(const ProviderConfig& config,
                                                                                      HttpClient& http,
                                                                                      std::uint64_t seed);

}  // namespace parityd::agent
