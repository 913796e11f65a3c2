#include "agent/llm/chat_completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace parityd::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kMessageCap = 300;
constexpr double kNanoPerMillionth = 1000;  // nano-dollars a token, at one dollar a million tokens

const char* role_name(Message::Role role) {
  switch (role) {
    case Message::Role::system:
      return "system";
    case Message::Role::user:
      return "user";
    case Message::Role::assistant:
      return "assistant";
  }
  return "user";
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (text.size() > kMessageCap) {
    text.resize(kMessageCap - 3);
    text += "...";
  }
  return text;
}

/// A field of an object, or null: servers leave out, or set to null, what they like.
const json& at(const json& object, const char* key) {
  static const json kNull;
  if (!object.is_object()) {
    return kNull;
  }
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::int64_t whole(const json& value) {
  return value.is_number() ? std::max<std::int64_t>(0, value.get<std::int64_t>()) : 0;
}
std::string text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
}

struct ErrorBody {
  std::string message, code;
};

/// {error:{…}}, {error:"text"}, {object:"error", message}, [{error:{…}}], {detail: …}, or no JSON at all.
ErrorBody error_body(const std::string& body) {
  json parsed = json::parse(body, nullptr, false);
  if (parsed.is_array() && !parsed.empty()) {
    parsed = json(parsed.front());
  }
  const json& error = at(parsed, "error");
  if (error.is_object()) {
    return {.message = text(at(error, "message")), .code = text(at(error, "code")) + " " + text(at(error, "type"))};
  }
  if (error.is_string()) {
    return {.message = error.get<std::string>()};
  }
  if (parsed.is_object()) {
    const json& detail = at(parsed, "detail");
    return {.message = detail.is_null() ? text(at(parsed, "message")) : detail.dump(),
            .code = text(at(parsed, "code"))};
  }
  return {.message = parsed.is_discarded() && body.starts_with("<") ? "an HTML page" : body};
}

ChatError classify(int status, const ErrorBody& body) {
  const auto about = [&](const char* word) {
    return body.code.find(word) != std::string::npos || body.message.find(word) != std::string::npos;
  };
  if (status == 402 || (status == 429 && (about("insufficient_quota") || about("billing")))) {
    return {.kind = ReplyErrorKind::money};
  }
  if (status == 401 || status == 403) {
    return {.kind = ReplyErrorKind::authentication};
  }
  if (status == 413 || (status == 400 && (about("context_length") || about("exceed_context_size")))) {
    return {.kind = ReplyErrorKind::too_large};
  }
  if (status == 408 || status == 409 || status == 429 || status >= 500) {
    return {.kind = status == 429 ? ReplyErrorKind::rate_limited : ReplyErrorKind::unavailable, .retryable = true};
  }
  return {.kind = ReplyErrorKind::configuration};
}

Finish finish_of(const json& choice) {
  const std::string reason = text(at(choice, "finish_reason"));
  if (!at(at(choice, "message"), "refusal").is_null()) {
    return Finish::refusal;
  }
  return reason == "length" ? Finish::length : reason == "content_filter" ? Finish::filter : Finish::stop;
}

Usage usage_of(const json& parsed, const std::string& content, std::size_t body_size) {
  const json& usage = at(parsed, "usage");
  if (!usage.is_object()) {  // guide figures: about 3.2 bytes a token out
    return {.prompt_tokens = static_cast<std::int64_t>(body_size / 4),
            .completion_tokens = static_cast<std::int64_t>(content.size() / 3),
            .estimated = true};
  }
  return {.prompt_tokens = whole(at(usage, "prompt_tokens")),
          .cached_tokens = whole(at(at(usage, "prompt_tokens_details"), "cached_tokens")),
          .completion_tokens = whole(at(usage, "completion_tokens")),
          .reasoning_tokens = whole(at(at(usage, "completion_tokens_details"), "reasoning_tokens"))};
}

/// Content is a string, or parts of which the text ones count.
std::string content_of(const json& message) {
  const json& content = at(message, "content");
  if (!content.is_array()) {
    return text(content);
  }
  std::string all;
  for (const auto& part : content) {
    all += text(at(part, "text"));
  }
  return all;
}

}  // namespace

HttpRequest encode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt) {
  json body{{"model", config.model},
            {config.capabilities.token_limit_field, config.max_output_tokens},
            {"messages", json::array()}};
  for (const auto& message : prompt.messages) {
    body["messages"].push_back({{"role", role_name(message.role)}, {"content", message.text}});
  }
  if (config.temperature && config.capabilities.temperature) {
    body["temperature"] = *config.temperature;
  }
  if (config.capabilities.seed) {
    body["seed"] = prompt.seed % (std::uint64_t{1} << 31);
  }
  if (!config.capabilities.reasoning_effort.empty()) {
    body["reasoning_effort"] = config.capabilities.reasoning_effort;
  }
  if (!config.capabilities.service_tier.empty()) {
    body["service_tier"] = config.capabilities.service_tier;
  }
  HttpRequest request{.url = config.base_url + "/chat/completions", .headers = {{"Content-Type", "application/json"}}};
  if (!key.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + key.reveal());
  }
  request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  request.total_timeout = config.total_timeout;
  request.first_byte_timeout = config.total_timeout;  // nothing comes before the whole reply is written
  return request;
}

tl::expected<Reply, ChatError> decode_chat(const ProviderConfig& config, const Secret& key,
                                           const HttpResponse& response) {
  if (response.status < 200 || response.status >= 300) {
    const ErrorBody body = error_body(response.body.substr(0, 2048));
    ChatError error = classify(response.status, body);
    error.message = one_line(key.redact(fmt::format("HTTP {}: {}", response.status, body.message)));
    if (const auto advice = response.header("x-should-retry")) {
      error.retryable =
          *advice == "true" && error.kind != ReplyErrorKind::authentication && error.kind != ReplyErrorKind::money;
    }
    return tl::unexpected(std::move(error));
  }
  const json parsed = json::parse(response.body, nullptr, false);
  const json& choices = at(parsed, "choices");
  if (!choices.is_array() || choices.empty()) {
    if (!at(parsed, "error").is_null()) {  // an error inside a 200
      return tl::unexpected(ChatError{.kind = ReplyErrorKind::unavailable,
                                      .retryable = true,
                                      .message = one_line(key.redact(error_body(response.body).message))});
    }
    return tl::unexpected(ChatError{
        .kind = ReplyErrorKind::malformed,
        .retryable = true,
        .message = "the answer is not a chat completion: " + one_line(key.redact(response.body.substr(0, 120)))});
  }
  const json& choice = choices.front();
  Reply reply;
  reply.text = content_of(at(choice, "message"));
  reply.finish = finish_of(choice);
  reply.usage = usage_of(parsed, reply.text, response.body.size());
  reply.model = text(at(parsed, "model"));
  reply.cost_nano_dollars = cost(config, reply.usage);
  reply.latency = response.elapsed;
  return reply;
}

std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt) {
  if (!config.price) {
    return 0;
  }
  std::size_t bytes = 0;
  for (const auto& message : prompt.messages) {
    bytes += message.text.size() + 16;
  }
  const double tokens_in = static_cast<double>(bytes) / 3;
  return static_cast<std::int64_t>(std::ceil(
      kNanoPerMillionth * (tokens_in * config.price->input + config.max_output_tokens * config.price->output)));
}

std::int64_t cost(const ProviderConfig& config, const Usage& usage) {
  if (!config.price) {
    return 0;
  }
  const auto cached = static_cast<double>(std::min(usage.cached_tokens, usage.prompt_tokens));
  const double fresh = static_cast<double>(usage.prompt_tokens) - cached;
  return std::llround(kNanoPerMillionth * (fresh * config.price->input + cached * config.price->cached_input +
                                           static_cast<double>(usage.completion_tokens) * config.price->output));
}

}  // namespace parityd::agent
