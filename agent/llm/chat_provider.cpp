#include "agent/llm/chat_provider.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

bool stops_provider(ReplyErrorKind kind) {
  return kind == ReplyErrorKind::money || kind == ReplyErrorKind::authentication ||
         kind == ReplyErrorKind::configuration;
}

}  // namespace

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

int ChatProvider::capacity(TimePoint now) const {
  if (stopped_) {
    return 0;
  }
  return std::max(0, breaker_.allowed(now, config_.max_in_flight) - static_cast<int>(requests_.size()));
}

void ChatProvider::submit(RequestId id, Prompt prompt, TimePoint) {
  Request& request = requests_[id];
  request.prompt = std::move(prompt);
  send(id, request);
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
    const RequestId id = found->second;
    transfers_.erase(found);
    if (result) {
      take_response(id, *result, now, answers);
    } else {
      take_failure(id, result.error(), now, answers);
    }
  }
  for (auto& [id, request] : requests_) {
    const bool due = request.retry_at && *request.retry_at <= now;
    if (due && breaker_.allowed(now, 1) > 0) {
      send(id, request);
    }
  }
  return answers;
}

void ChatProvider::take_response(RequestId id, const HttpResponse& response, TimePoint now,
                                 std::vector<Answer>& answers) {
  auto reply = decode_chat(config_, key_, response);
  if (!reply) {
    retry_or_give_up(id, reply.error(), asked_wait(response, std::chrono::system_clock::now()), now, answers);
    return;
  }
  breaker_.succeeded();
  reply->attempts = requests_.at(id).attempts;
  requests_.erase(id);
  answers.push_back({.id = id, .reply = std::move(*reply)});
}

void ChatProvider::take_failure(RequestId id, const HttpError& failure, TimePoint now, std::vector<Answer>& answers) {
  requests_.at(id).outcome_unknown = requests_.at(id).outcome_unknown || failure.sent;
  const bool timeout = failure.kind == HttpError::Kind::timeout;
  const bool hopeless = failure.kind == HttpError::Kind::tls || failure.kind == HttpError::Kind::too_large;
  retry_or_give_up(id,
                   {.kind = timeout ? ReplyErrorKind::timeout : ReplyErrorKind::unavailable,
                    .retryable = !hopeless,
                    .message = key_.redact(fmt::format("{}: {}", config_.base_url, failure.message))},
                   std::nullopt, now, answers);
}

void ChatProvider::retry_or_give_up(RequestId id, ChatError error, std::optional<Milliseconds> asked, TimePoint now,
                                    std::vector<Answer>& answers) {
  Request& request = requests_.at(id);
  if (error.retryable) {
    breaker_.failed(now);
  }
  if (!error.retryable || request.attempts > kMostRetries) {
    give_up(id, error, answers);
    return;
  }
  request.retry_at = now + wait_before_retry(request.attempts - 1, asked, random());
}

void ChatProvider::give_up(RequestId id, const ChatError& error, std::vector<Answer>& answers) {
  if (stops_provider(error.kind)) {
    stopped_ = error.message;
  }
  const Request& request = requests_.at(id);
  answers.push_back({.id = id,
                     .reply = tl::unexpected(ReplyError{.kind = error.kind,
                                                        .message = error.message,
                                                        .attempts = request.attempts,
                                                        .outcome_unknown = request.outcome_unknown})});
  requests_.erase(id);
}

std::optional<executor::TimePoint> ChatProvider::next_deadline() const {
  std::optional<TimePoint> first;
  for (const auto& [id, request] : requests_) {
    if (request.retry_at && (!first || *request.retry_at < *first)) {
      first = request.retry_at;
    }
  }
  return first && breaker_.opens_at() ? std::max(first, breaker_.opens_at()) : first;
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
