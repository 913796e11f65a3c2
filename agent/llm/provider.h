// A provider answers prompts with replies: an LLM API or the builtin generator. One thread (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/config.h"
#include "agent/llm/secret.h"
#include "executor/process/interest.h"
#include "oracle/names.h"
#include "store/work/event_kind.h"

namespace parityd::agent {

using oracle::name;

using executor::Interest;
using executor::TimePoint;

enum class Role { system, user, assistant };
constexpr auto names(Role) { return std::to_array<std::string_view>({"system", "user", "assistant"}); }

struct Message {
  using Role = agent::Role;
  Role role = Role::user;
  std::string text;
};

enum class Purpose { generate, repair, fix };

struct Prompt {
  Purpose purpose = Purpose::generate;
  std::string strategy;           // name of the strategy's file: "operators"
  std::vector<Message> messages;  // the constant text first
  std::size_t said = 0;           // how many of them were in earlier requests and replies of the same conversation
  std::string provider;           // the provider to answer it, if there are several
  std::uint64_t seed = 0;         // makes this request differ from the next; sent if the API accepts one
  /// Position among all prompts sent to its provider over the daemon's life: builtin's place in its corpus.
  std::uint64_t number = 0;
};

enum class Finish { stop, length, refusal, filter };
constexpr auto names(Finish) { return std::to_array<std::string_view>({"stop", "length", "refusal", "filter"}); }

struct Usage {
  std::int64_t prompt_tokens = 0;  // all of them, including:
  std::int64_t cached_tokens = 0, cache_write_tokens = 0;
  std::int64_t completion_tokens = 0;  // all that is billed, including:
  std::int64_t reasoning_tokens = 0;
  bool estimated = false;
  std::string tier = {};  // service tier, as the answer names it
};

struct Reply {
  std::string text;
  Finish finish = Finish::stop;
  Usage usage;
  std::int64_t cost_nano_dollars = 0;  // including the possible cost of earlier attempts of unknown outcome
  std::string model;                   // name given by the server
  std::chrono::milliseconds latency{0};
  int attempts = 1;
  bool from_corpus = false;  // from the corpus; else a model wrote it
};

/// Why there is no reply. `stop_provider` kinds park the provider until the operator acts.
enum class ReplyErrorKind {
  unavailable,
  rate_limited,
  money,
  authentication,
  configuration,
  too_large,
  malformed,
  timeout,
  cancelled
};
constexpr auto names(ReplyErrorKind) {
  return std::to_array<std::string_view>({"unavailable", "rate_limited", "money", "authentication", "configuration",
                                          "too_large", "malformed", "timeout", "cancelled"});
}
struct ReplyError {
  ReplyErrorKind kind = ReplyErrorKind::unavailable;
  int status = 0;       // HTTP status; 0: none
  std::string message;  // redacted, one line, ≤ 300 bytes
  int attempts = 1;
  bool outcome_unknown = false;        // the request may have been answered and billed
  std::int64_t cost_nano_dollars = 0;  // upper bound for attempts of unknown outcome
};

using RequestId = std::int64_t;
struct Answer {
  RequestId id = 0;
  tl::expected<Reply, ReplyError> reply;
};

/// Something to report to the operator once.
struct Notice {
  store::EventKind kind = store::EventKind::provider_learned;
  std::string provider;
  std::string text;   // detail for this kind
  bool over = false;  // no longer true
};

class Provider {
 public:
  virtual ~Provider() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string model() const = 0;
  /// Whether it can repair programs and change torch; builtin cannot.
  [[nodiscard]] virtual bool can_repair() const = 0;
  /// Number of requests it would accept now without waiting: 0 while parked, backing off or full.
  [[nodiscard]] virtual int capacity(TimePoint now) const = 0;
  /// Neither stopped nor parked: a capacity of 0 only means that it is full.
  [[nodiscard]] virtual bool available() const { return !stopped_; }
  /// Upper bound of the prompt's cost, reserved before the prompt is sent.
  [[nodiscard]] virtual std::int64_t reserve_nano_dollars(const Prompt& prompt) const = 0;
  virtual void submit(RequestId id, Prompt prompt, TimePoint now) = 0;
  [[nodiscard]] virtual std::vector<Answer> take_answers(TimePoint now) = 0;
  [[nodiscard]] virtual std::optional<TimePoint> next_deadline() const = 0;
  /// Set once it has stopped for good (401, 402, 403, 404, no money left in the account): text for the operator.
  [[nodiscard]] virtual std::optional<std::string> stopped() const { return stopped_; }
  /// Stops the provider of that name: it gets no more requests.
  virtual void stop(const std::string& name, const std::string& why);
  /// Applies the configuration to the provider of that name from now on, even if it had stopped; requests in flight
  /// continue. The way it is accessed (kind, record, replay) does not change.
  virtual void reconfigure(const ProviderConfig& config, const Secret& key);
  /// Sets the share of the prompts if there are several providers.
  virtual void set_weight(const std::string& /*name*/, double /*weight*/) {}
  [[nodiscard]] virtual std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

  /// The providers that could answer such a prompt now, in the order in which to check the budget. A group of providers
  /// returns its members here: a prompt is booked with, and sent to, one of these.
  [[nodiscard]] virtual std::vector<Provider*> candidates(Purpose, TimePoint) { return {this}; }
  /// Announces one more prompt for `candidate` before the turn ends.
  virtual void promise(const Provider& /*candidate*/) {}

 protected:
  std::optional<std::string> stopped_;
  std::vector<Notice> notices_;
};

}  // namespace parityd::agent
