#include "agent/llm/chat_provider.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

bool stops_provider(ReplyErrorKind kind) {
  return kind == ReplyErrorKind::money || kind == ReplyErrorKind::authentication ||
         kind == ReplyErrorKind::configuration;
}

bool counts_for_breaker(ReplyErrorKind kind) {
  return kind == ReplyErrorKind::unavailable || kind == ReplyErrorKind::rate_limited ||
         kind == ReplyErrorKind::timeout || kind == ReplyErrorKind::malformed;
}

}  // namespace

std::string_view name(Finish finish) {
  switch (finish) {
    case Finish::stop:
      return "stop";
    case Finish::length:
      return "length";
    case Finish::refusal:
      return "refusal";
    case Finish::filter:
      return "filter";
  }
  return "?";
}

std::string_view name(ReplyErrorKind kind) {
  switch (kind) {
    case ReplyErrorKind::unavailable:
      return "unavailable";
    case ReplyErrorKind::rate_limited:
      return "rate_limited";
    case ReplyErrorKind::money:
      return "money";
    case ReplyErrorKind::authentication:
      return "authentication";
    case ReplyErrorKind::configuration:
      return "configuration";
    case ReplyErrorKind::too_large:
      return "too_large";
    case ReplyErrorKind::malformed:
      return "malformed";
    case ReplyErrorKind::timeout:
      return "timeout";
    case ReplyErrorKind::cancelled:
      return "cancelled";
  }
  return "?";
}

ChatProvider::ChatProvider(ProviderConfig config, Secret key, HttpClient& http, std::uint64_t seed)
    : config_(std::move(config)), key_(std::move(key)), http_(http), random_(seed) {}

ChatProvider::~ChatProvider() {
  for (const auto& [transfer, request] : transfers_) {
    http_.cancel(transfer);
  }
}

int ChatProvider::capacity(TimePoint now) const {
  if (stopped_) {
    return 0;
  }
  return std::max(0, breaker_.allowed(now, config_.max_in_flight) - static_cast<int>(requests_.size()));
}

bool ChatProvider::may_send(TimePoint now) const {
  return breaker_.allowed(now, config_.max_in_flight) > static_cast<int>(transfers_.size());
}

void ChatProvider::submit(RequestId id, Prompt prompt, TimePoint now) {
  Request& request = requests_[id];
  request.prompt = std::move(prompt);
  if (stopped_ || !may_send(now)) {
    request.retry_at = now;  // the caller asked before something changed: it goes when it may
  } else {
    send(id, request);
  }
  deadline_ = deadline(now);
}

void ChatProvider::send(RequestId id, Request& request) {
  request.attempts += 1;
  request.retry_at.reset();
  transfers_[http_.start(encode_chat(config_, key_, request.prompt))] = id;
}

std::vector<Answer> ChatProvider::take_answers(TimePoint now) {
  std::vector<Answer> answers;
  for (auto& [transfer, result] : http_.take_completed()) {
    const auto found = transfers_.find(transfer);
    if (found == transfers_.end()) {
      continue;
    }
    const auto at = requests_.find(found->second);
    transfers_.erase(found);
    if (result) {
      take_response(at, *result, now, answers);
    } else {
      take_failure(at, result.error(), now, answers);
    }
  }
  if (stopped_) {
    give_up_waiting(answers);
  } else {
    send_due(now);
  }
  deadline_ = deadline(now);
  return answers;
}

void ChatProvider::send_due(TimePoint now) {
  for (auto& [id, request] : requests_) {
    if (request.retry_at && *request.retry_at <= now && may_send(now)) {
      send(id, request);
    }
  }
}

/// After a refused key nothing more is sent, what waits for its next try neither.
void ChatProvider::give_up_waiting(std::vector<Answer>& answers) {
  for (auto at = requests_.begin(); at != requests_.end();) {
    const auto next = std::next(at);
    if (at->second.retry_at) {
      give_up(at, {.kind = ReplyErrorKind::cancelled, .message = "the provider stopped: " + stopped_->substr(0, 260)},
              answers);
    }
    at = next;
  }
}

void ChatProvider::take_response(Requests::iterator at, const HttpResponse& response, TimePoint now,
                                 std::vector<Answer>& answers) {
  auto& request = at->second;
  auto reply = decode_chat(config_, key_, request.prompt, response);
  if (!reply) {
    request.unknown += reply.error().billed ? 1 : 0;
    retry_or_give_up(at, reply.error(), asked_wait(response, std::chrono::system_clock::now()), now, answers);
    return;
  }
  breaker_.succeeded();
  reply->attempts = request.attempts;
  reply->cost_nano_dollars += cost_of_unknown(request);
  answers.push_back({.id = at->first, .reply = std::move(*reply)});
  requests_.erase(at);
}

void ChatProvider::take_failure(Requests::iterator at, const HttpError& failure, TimePoint now,
                                std::vector<Answer>& answers) {
  at->second.unknown += failure.sent ? 1 : 0;
  ChatError error{.retryable = true, .message = key_.redact(fmt::format("{}: {}", config_.base_url, failure.message))};
  if (failure.kind == HttpError::Kind::timeout) {
    error.kind = ReplyErrorKind::timeout;
  } else if (failure.kind == HttpError::Kind::refused) {
    error.kind = ReplyErrorKind::configuration;
    error.retryable = false;
  } else if (failure.kind == HttpError::Kind::too_large) {
    error.kind = ReplyErrorKind::malformed;
    error.retryable = false;
  }
  retry_or_give_up(at, error, std::nullopt, now, answers);
}

void ChatProvider::retry_or_give_up(Requests::iterator at, const ChatError& error, std::optional<Milliseconds> asked,
                                    TimePoint now, std::vector<Answer>& answers) {
  Request& request = at->second;
  if (counts_for_breaker(error.kind)) {
    breaker_.failed(now);
  }
  if (!error.retryable || request.attempts > (error.billed ? kMostPaidRetries : kMostRetries)) {
    give_up(at, error, answers);
    return;
  }
  request.retry_at = now + wait_before_retry(request.attempts - 1, asked, random());
}

void ChatProvider::give_up(Requests::iterator at, const ChatError& error, std::vector<Answer>& answers) {
  if (stops_provider(error.kind) && !stopped_) {
    stopped_ = error.message;
  }
  const Request& request = at->second;
  answers.push_back({.id = at->first,
                     .reply = tl::unexpected(ReplyError{.kind = error.kind,
                                                        .status = error.status,
                                                        .message = error.message,
                                                        .attempts = request.attempts,
                                                        .outcome_unknown = request.unknown > 0,
                                                        .cost_nano_dollars = cost_of_unknown(request)})});
  requests_.erase(at);
}

std::int64_t ChatProvider::cost_of_unknown(const Request& request) const {
  return request.unknown * reservation(config_, request.prompt);
}

/// The next moment at which this provider has something to do that no socket announces.
std::optional<executor::TimePoint> ChatProvider::deadline(TimePoint now) const {
  const auto parked_until = breaker_.opens_at();
  if (!stopped_ && parked_until && *parked_until > now) {
    return parked_until;
  }
  std::optional<TimePoint> first;
  for (const auto& [id, request] : requests_) {
    // One that is due and still waits goes when a transfer ends.
    if (request.retry_at && (*request.retry_at > now || stopped_) && (!first || *request.retry_at < *first)) {
      first = request.retry_at;
    }
  }
  return first;
}

tl::expected<std::unique_ptr<Provider>, std::string> make_chat_provider(const ProviderConfig& config, HttpClient& http,
                                                                        std::uint64_t seed) {
  tl::expected<Secret, std::string> key;
  if (!config.api_key_env.empty()) {
    key = secret_from_environment(config.api_key_env);
  } else if (!config.api_key_file.empty()) {
    key = secret_from_file(config.api_key_file);
  }
  if (!key) {
    return tl::unexpected(fmt::format("provider {}: {}", config.name, key.error()));
  }
  return std::make_unique<ChatProvider>(config, std::move(*key), http, seed);
}

}  // namespace parityd::agent
