#include "agent/llm/chat_provider.h"

#include <fmt/format.h>

#include <algorithm>

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;

constexpr auto kProbePatience = 10s;
constexpr int kLongerReplies = 4;  // factor on the reply limit once a model spent all of it on reasoning

bool stops_provider(ReplyErrorKind kind) {
  return kind == ReplyErrorKind::money || kind == ReplyErrorKind::authentication ||
         kind == ReplyErrorKind::configuration;
}

bool counts_for_breaker(ReplyErrorKind kind) {
  return kind == ReplyErrorKind::unavailable || kind == ReplyErrorKind::rate_limited ||
         kind == ReplyErrorKind::timeout || kind == ReplyErrorKind::malformed;
}

}  // namespace

ChatProvider::ChatProvider(ProviderConfig config, Secret key, Transport& transport, std::uint64_t seed,
                           WallClock wall_clock)
    : config_(std::move(config)),
      codec_(codec_of(config_)),
      key_(std::move(key)),
      transport_(transport),
      wall_clock_(std::move(wall_clock)),
      random_(seed) {}

ChatProvider::~ChatProvider() {
  for (const auto& [transfer, request] : transfers_) transport_.cancel(transfer);
  if (probe_) transport_.cancel(*probe_);
}

int ChatProvider::capacity(TimePoint) const {
  return stopped_ ? 0 : std::max(0, breaker_.allowed(config_.max_in_flight) - static_cast<int>(requests_.size()));
}

bool ChatProvider::available() const { return !stopped_ && breaker_.allowed(1) > 0; }

bool ChatProvider::may_send() const {
  return breaker_.allowed(config_.max_in_flight) > static_cast<int>(transfers_.size());
}

/// Includes each attempt that may be billed.
std::int64_t ChatProvider::reserve_nano_dollars(const Prompt& prompt) const {
  return kMostPaidAttempts * reservation(config_, prompt);
}

void ChatProvider::submit(RequestId id, Prompt prompt, TimePoint now) {
  Request& request = requests_[id];
  request.prompt = std::move(prompt);
  request.submitted = now;
  request.max_output_tokens = config_.max_output_tokens;
  if (stopped_ || !may_send()) {
    request.retry_at = now;  // the provider parked or stopped meanwhile: sent once it may
  } else {
    send(id, request);
  }
  set_deadline(now);
}

void ChatProvider::send(RequestId id, Request& request) {
  request.attempts += 1;
  request.retry_at.reset();
  ProviderConfig config = config_;
  config.max_output_tokens = request.max_output_tokens;
  transfers_[transport_.start(codec_.encode(config, key_, request.prompt))] = id;
}

std::vector<Answer> ChatProvider::take_answers(TimePoint now) {
  std::vector<Answer> answers;
  for (auto transfer = transfers_.begin(); transfer != transfers_.end();) {
    const auto result = transport_.pop_result(transfer->first);
    if (!result) {
      ++transfer;
      continue;
    }
    const auto at = requests_.find(transfer->second);
    transfer = transfers_.erase(transfer);  // before anything is sent again
    if (*result) {
      take_response(at, **result, now, answers);
    } else {
      take_failure(at, result->error(), now, answers);
    }
  }
  take_probe(now);
  give_up_waiting(now, answers);
  if (!stopped_) {
    probe_if_due(now);
    send_due(now);
  }
  set_deadline(now);
  return answers;
}

void ChatProvider::send_due(TimePoint now) {
  for (auto& [id, request] : requests_) {
    if (request.retry_at && *request.retry_at <= now && may_send()) send(id, request);
  }
}

/// While nothing may be sent, requesting the list of models shows at no cost whether the server answers.
void ChatProvider::probe_if_due(TimePoint now) {
  const auto due = breaker_.probe_at();
  if (probe_ || !due || *due > now) return;
  HttpRequest request = codec_.encode(config_, key_, {});
  request.url = request_to(config_, key_, "/models").url;
  request.get = true;
  request.body.clear();
  request.total_timeout = request.first_byte_timeout = kProbePatience;
  probe_ = transport_.start(std::move(request));
}

/// Any answer except a server failure counts: not every server lists its models.
void ChatProvider::take_probe(TimePoint now) {
  const auto result = probe_ ? transport_.pop_result(*probe_) : std::nullopt;
  if (!result) return;
  probe_.reset();
  const bool there = result->has_value() && (*result)->status < 500 && (*result)->status != 429;
  if (there) {
    breaker_.probed();
  } else {
    breaker_.failed(now);
  }
}

/// After a refused key nothing more is sent, not even requests waiting for a retry; and no request waits forever.
void ChatProvider::give_up_waiting(TimePoint now, std::vector<Answer>& answers) {
  for (auto at = requests_.begin(); at != requests_.end();) {
    const auto next = std::next(at);
    const Request& request = at->second;
    if (request.retry_at && stopped_) {
      give_up(at, {.kind = ReplyErrorKind::cancelled, .message = "the provider stopped: " + stopped_->substr(0, 260)},
              answers);
    } else if (request.retry_at && now - request.submitted > kLongestRequest) {
      give_up(at, ApiError(request.last), answers);
    }
    at = next;
  }
}

void ChatProvider::answers_again() {
  breaker_.succeeded();
  if (std::exchange(told_out_, false)) {
    notices_.push_back({.kind = store::EventKind::provider_out, .provider = config_.name, .over = true});
  }
}

void ChatProvider::take_response(Requests::iterator at, const HttpResponse& response, TimePoint now,
                                 std::vector<Answer>& answers) {
  auto& request = at->second;
  auto reply = codec_.decode(config_, key_, request.prompt, response);
  if (!reply) {
    if (reply.error().kind == ReplyErrorKind::too_large) {
      answers_again();  // a server that reads prompts is up
    }
    const auto in_headers = asked_wait(response, wall_clock_());
    retry_or_give_up(at, reply.error(), in_headers ? in_headers : reply.error().asked_wait, now, answers);
    return;
  }
  answers_again();
  allow_longer_replies(*reply);
  reply->attempts = request.attempts;
  reply->cost_nano_dollars = config_.replay.empty() ? reply->cost_nano_dollars + cost_of_unknown(request) : 0;
  answers.push_back({.id = at->first, .reply = std::move(*reply)});
  requests_.erase(at);
}

void ChatProvider::take_failure(Requests::iterator at, const HttpError& failure, TimePoint now,
                                std::vector<Answer>& answers) {
  ApiError error{.retryable = true,
                 .billed = failure.sent,
                 .message = key_.redact(fmt::format("{}: {}", config_.base_url, failure.message))};
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

/// Whether the request is worth resending at once without that field.
bool ChatProvider::leaves_out(Request& request, const std::string& field) {
  if (field.empty() || !request.refused.insert(field).second) return false;
  if (left_out_.contains(field)) {
    return true;  // already learned from another request
  }
  if (!leave_out(config_, field)) return false;
  left_out_.insert(field);
  tell(store::EventKind::provider_learned,
       fmt::format("provider {} does not accept {}; requests are sent without it", config_.name, field));
  return true;
}

/// A model may spend the whole limit on its reasoning: such replies are empty and billed in full.
void ChatProvider::allow_longer_replies(const Reply& reply) {
  if (longer_replies_ || reply.finish != Finish::length || !reply.text.empty()) return;
  longer_replies_ = true;
  config_.max_output_tokens *= kLongerReplies;
  tell(store::EventKind::provider_learned, fmt::format("provider {}: a reply was empty because the model's reasoning "
                                                       "used all of max_output_tokens, which is {} from now on",
                                                       config_.name, config_.max_output_tokens));
}

void ChatProvider::retry_or_give_up(Requests::iterator at, const ApiError& error, std::optional<Milliseconds> asked,
                                    TimePoint now, std::vector<Answer>& answers) {
  Request& request = at->second;
  if (leaves_out(request, error.refused_field)) {
    request.retry_at = now;
    return;
  }
  request.unknown += error.billed ? 1 : 0;
  if (counts_for_breaker(error.kind)) breaker_.failed(now, error.billed);
  tell_of_failure(error);
  if (!error.retryable || request.attempts > kMostRetries || request.unknown >= kMostPaidAttempts) {
    give_up(at, error, answers);
    return;
  }
  request.last = error;
  request.retry_at = now + wait_before_retry(request.attempts - 1, asked, random());
}

void ChatProvider::tell_of_failure(const ApiError& error) {
  const std::string text = fmt::format("provider {}: {}", config_.name, error.message);
  if (error.kind == ReplyErrorKind::rate_limited) tell(store::EventKind::provider_slow_down, text);
  if (!told_out_ && breaker_.allowed(1) == 0) {
    told_out_ = true;
    tell(store::EventKind::provider_out, text);
  }
}

void ChatProvider::give_up(Requests::iterator at, const ApiError& error, std::vector<Answer>& answers) {
  if (stops_provider(error.kind)) stop(config_.name, error.message);
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
  ProviderConfig config = config_;
  config.max_output_tokens = request.max_output_tokens;
  return request.unknown * reservation(config, request.prompt);
}

void ChatProvider::reconfigure(const ProviderConfig& config, const Secret& key) {
  if (config.name != config_.name) return;
  config_ = config;
  key_ = key.duplicate();
  breaker_ = {};
  left_out_.clear();
  longer_replies_ = false;
  stopped_.reset();
}

std::optional<TimePoint> ChatProvider::next_deadline() const {
  return transport_.ready() ? std::optional(TimePoint{}) : deadline_;
}

/// Sets the next time at which this provider has something to do that no socket announces.
void ChatProvider::set_deadline(TimePoint now) {
  deadline_.reset();
  const auto sooner = [this](TimePoint time) { deadline_ = deadline_ ? std::min(*deadline_, time) : time; };
  if (const auto due = breaker_.probe_at(); due && !probe_ && !stopped_) sooner(*due);
  for (const auto& [id, request] : requests_) {
    if (!request.retry_at) continue;
    if (stopped_ || (*request.retry_at > now && may_send())) {
      sooner(*request.retry_at);
    } else if (!may_send() && transfers_.empty() && !probe_) {
      sooner(request.submitted + kLongestRequest + 1ms);  // only unparking can change that
    }
  }
}

tl::expected<Secret, std::string> key_of(const ProviderConfig& config, KeyRing& ring) {
  tl::expected<Secret, std::string> key;
  if (!config.replay.empty()) {
    return key;  // no server is contacted
  }
  if (!config.api_key_env.empty()) {
    key = ring.from_environment(config.api_key_env);
  } else if (!config.api_key_file.empty()) {
    key = secret_from_file(config.api_key_file);
  } else if (!config.api_key_credential.empty()) {
    key = secret_from_credential(config.api_key_credential);
  }
  if (!key) return tl::unexpected(fmt::format("provider {}: {}", config.name, key.error()));
  return key;
}

}  // namespace parityd::agent
