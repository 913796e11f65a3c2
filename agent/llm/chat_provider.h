// A provider that talks to an API through a codec: many requests in flight, retried by the rules of retry.h. One
// thread.
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/llm/codec.h"
#include "agent/llm/price.h"
#include "agent/llm/provider.h"
#include "agent/llm/retry.h"
#include "agent/llm/secret.h"
#include "agent/llm/transport.h"

namespace parityd::agent {

class ChatProvider : public Provider {
 public:
  /// The wall clock: a server may name a date at which to retry.
  using WallClock = std::function<std::chrono::system_clock::time_point()>;

  ChatProvider(ProviderConfig config, Secret key, Transport& transport, std::uint64_t seed,
               WallClock wall_clock = std::chrono::system_clock::now);
  ~ChatProvider() override;
  ChatProvider(const ChatProvider&) = delete;
  ChatProvider& operator=(const ChatProvider&) = delete;

  [[nodiscard]] std::string name() const override { return config_.name; }
  [[nodiscard]] std::string model() const override { return config_.model; }
  [[nodiscard]] bool can_repair() const override { return true; }
  [[nodiscard]] int capacity(TimePoint now) const override;
  [[nodiscard]] bool available() const override;
  [[nodiscard]] std::int64_t reserve_nano_dollars(const Prompt& prompt) const override;
  void submit(RequestId id, Prompt prompt, TimePoint now) override;
  [[nodiscard]] std::vector<Answer> take_answers(TimePoint now) override;
  [[nodiscard]] std::optional<TimePoint> next_deadline() const override;
  void reconfigure(const ProviderConfig& config, const Secret& key) override;

 private:
  struct Request {
    Prompt prompt;
    TimePoint submitted;
    int max_output_tokens = 0;  // the limit its reservation assumed
    int attempts = 0;
    int unknown = 0;                    // attempts that may have been answered and billed
    std::optional<TimePoint> retry_at;  // set while it waits; then it is not in flight
    std::set<std::string> refused;      // fields that it was told to leave out
    ApiError last;                      // the error it waits after
  };
  using Requests = std::map<RequestId, Request>;

  void send(RequestId id, Request& request);
  void answers_again();
  void take_response(Requests::iterator at, const HttpResponse& response, TimePoint now, std::vector<Answer>& answers);
  void take_failure(Requests::iterator at, const HttpError& failure, TimePoint now, std::vector<Answer>& answers);
  void take_probe(TimePoint now);
  void probe_if_due(TimePoint now);
  bool leaves_out(Request& request, const std::string& field);
  void allow_longer_replies(const Reply& reply);
  void tell(store::EventKind kind, const std::string& text) {
    notices_.push_back({.kind = kind, .provider = config_.name, .text = text});
  }
  void tell_of_failure(const ApiError& error);
  void retry_or_give_up(Requests::iterator at, const ApiError& error, std::optional<Milliseconds> asked, TimePoint now,
                        std::vector<Answer>& answers);
  void give_up(Requests::iterator at, const ApiError& error, std::vector<Answer>& answers);
  void send_due(TimePoint now);
  void give_up_waiting(TimePoint now, std::vector<Answer>& answers);
  void set_deadline(TimePoint now);
  [[nodiscard]] bool may_send() const;
  [[nodiscard]] std::int64_t cost_of_unknown(const Request& request) const;
  [[nodiscard]] double random() { return std::uniform_real_distribution<double>(0, 1)(random_); }

  ProviderConfig config_;  // fields that the API refuses are removed from its capabilities
  const Codec& codec_;
  Secret key_;
  Transport& transport_;
  WallClock wall_clock_;
  std::mt19937_64 random_;
  Breaker breaker_;
  Requests requests_;
  std::map<TransferId, RequestId> transfers_;  // requests in flight
  std::optional<TransferId> probe_;
  std::set<std::string> left_out_;
  bool told_out_ = false;  // the operator has been told that it does not answer
  bool longer_replies_ = false;
  std::optional<TimePoint> deadline_;
};

/// Reads the key. The error names the wrong setting.
[[nodiscard]] tl::expected<Secret, std::string> key_of(const ProviderConfig& config, KeyRing& ring);

}  // namespace parityd::agent
