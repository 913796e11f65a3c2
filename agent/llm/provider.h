// A provider answers prompts with replies: an LLM API, or the builtin generator. One thread (the loop's).
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

enum class Purpose { generate, repair };

struct Prompt {
  Purpose purpose = Purpose::generate;
  std::string strategy;           // name of the strategy file, "operators"
  std::vector<Message> messages;  // fixed text first
  std::size_t said = 0;           // of these: as many were in earlier requests and replies of the same conversation
  std::string provider;           // who shall answer it, where several could
  std::uint64_t seed = 0;         // what makes this request differ from the next: sent where the API takes one
  std::uint64_t number = 0;       // among all its provider got over the daemon's life: builtin's place in its corpus
};

enum class Finish { stop, length, refusal, filter };
constexpr auto names(Finish) { return std::to_array<std::string_view>({"stop", "length", "refusal", "filter"}); }

struct Usage {
  std::int64_t prompt_tokens = 0;  // all of them; of these:
  std::int64_t cached_tokens = 0, cache_write_tokens = 0;
  std::int64_t completion_tokens = 0;  // all that is paid for; of these:
  std::int64_t reasoning_tokens = 0;
  bool estimated = false;
  std::string tier = {};  // of service, as the answer names it
};

struct Reply {
  std::string text;
  Finish finish = Finish::stop;
  Usage usage;
  std::int64_t cost_nano_dollars = 0;  // with what earlier attempts of unknown outcome may have cost
  std::string model;                   // as the server names it
  std::chrono::milliseconds latency{0};
  int attempts = 1;
  bool from_corpus = false;  // builtin's; else a model wrote it
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
  int status = 0;       // HTTP; 0 none
  std::string message;  // redacted, one line, ≤ 300 bytes
  int attempts = 1;
  bool outcome_unknown = false;        // the request may have been answered and billed
  std::int64_t cost_nano_dollars = 0;  // what attempts of unknown outcome may have cost, at most
};

using RequestId = std::int64_t;
struct Answer {
  RequestId id = 0;
  tl::expected<Reply, ReplyError> reply;
};

/// What the operator should know, once.
struct Notice {
  store::EventKind kind = store::EventKind::provider_learned;
  std::string provider;
  std::string text;   // its kind's detail
  bool over = false;  // it holds no more
};

class Provider {
 public:
  virtual ~Provider() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string model() const = 0;
  /// builtin has nothing to repair with.
  [[nodiscard]] virtual bool can_repair() const = 0;
  /// Requests it would take now without waiting: 0 while parked, backing off or full.
  [[nodiscard]] virtual int capacity(TimePoint now) const = 0;
  /// Neither stopped nor parked: if its capacity is 0, only because it is full.
  [[nodiscard]] virtual bool available() const { return !stopped_; }
  /// Upper bound of what this prompt can cost, reserved before it is sent.
  [[nodiscard]] virtual std::int64_t reserve_nano_dollars(const Prompt& prompt) const = 0;
  virtual void submit(RequestId id, Prompt prompt, TimePoint now) = 0;
  [[nodiscard]] virtual std::vector<Answer> take_answers(TimePoint now) = 0;
  [[nodiscard]] virtual std::optional<TimePoint> next_deadline() const = 0;
  /// Set when it stopped for good (401, 402, 403, 404, empty budget of the account): what to tell the operator.
  [[nodiscard]] virtual std::optional<std::string> stopped() const { return stopped_; }
  /// Stops the provider of that name: it is asked no more.
  virtual void stop(const std::string& name, const std::string& why);
  /// The provider of that name goes by this from now on, also where it had stopped; requests in flight go on. How it is
  /// spoken to (kind, record, replay) stays.
  virtual void reconfigure(const ProviderConfig& config, const Secret& key);
  /// Of the prompts, where there are several.
  virtual void set_weight(const std::string& /*name*/, double /*weight*/) {}
  [[nodiscard]] virtual std::vector<Notice> take_notices() { return std::exchange(notices_, {}); }

  /// Who could answer such a prompt now, in the order in which to ask whether the budget allows it. Several providers
  /// behind one are told apart here: a prompt is booked with, and sent to, one of these.
  [[nodiscard]] virtual std::vector<Provider*> candidates(Purpose, TimePoint) { return {this}; }
  /// `candidate` gets one prompt more before the turn ends.
  virtual void promise(const Provider& /*candidate*/) {}

 protected:
  std::optional<std::string> stopped_;
  std::vector<Notice> notices_;
};

}  // namespace parityd::agent
