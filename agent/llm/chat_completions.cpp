#include "agent/llm/chat_completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace parityd::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kMessageCap = 300;
constexpr std::size_t kBodyCap = 2048;      // of an error page, before it is redacted and cut
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

/// For logs, tables and terminals: short, printable, and valid UTF-8 whatever the server sent and wherever it is cut.
std::string one_line(std::string text) {
  text = json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
  if (text.size() > kMessageCap) {
    auto end = kMessageCap - 3;
    while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;  // not inside a character
    }
    text.resize(end);
    text += "...";
  }
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

/// Deeper than any API's answer: the parser copes, a copy or a dump of the result would exhaust the stack.
bool too_deep(std::string_view text) {
  constexpr int kDeepest = 64;
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      at += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

json parse(std::string_view text) {
  return too_deep(text) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
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

/// A count of tokens; what no model could have read or written is taken for none.
std::int64_t whole(const json& value) {
  constexpr double kMost = 1e9;
  const double number = value.is_number() ? value.get<double>() : 0;
  return number >= 0 && number <= kMost ? static_cast<std::int64_t>(number) : 0;
}
std::string text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_number() ? value.dump() : "";
}

struct ErrorBody {
  std::string message, code;
};

/// {error:{…}}, {error:"text"}, {object:"error", message}, [{error:{…}}], {detail: …}, or no JSON at all.
ErrorBody error_body(const std::string& body) {
  json parsed = parse(body);
  if (parsed.is_array() && !parsed.empty()) {
    parsed = json(parsed.front());
  }
  const json& error = at(parsed, "error");
  if (error.is_object()) {
    return {.message = text(at(error, "message")),
            .code = text(at(error, "code")) + " " + text(at(error, "type")) + " " + text(at(error, "status"))};
  }
  if (error.is_string()) {
    return {.message = error.get<std::string>(), .code = text(at(parsed, "code"))};
  }
  if (parsed.is_object()) {
    const json& detail = at(parsed, "detail");
    return {.message = detail.is_null()     ? text(at(parsed, "message"))
                       : detail.is_string() ? detail.get<std::string>()
                                            : detail.dump(),
            .code = text(at(parsed, "code")) + " " + text(at(parsed, "type"))};
  }
  const auto start = std::min(body.find_first_not_of(" \r\n\t"), body.size());
  if (start == body.size()) {
    return {.message = "an empty body"};
  }
  return {.message = body[start] == '<' ? "an HTML page" : body.substr(start, kBodyCap)};
}

struct StatusRule {
  int status;        // 0: any
  const char* word;  // in the code, type or message; empty: any
  ReplyErrorKind kind;
  bool retryable;
};

/// The first row that fits decides; the last words of the table are for what nobody foresaw.
constexpr std::array kStatusRules = {
    StatusRule{402, "", ReplyErrorKind::money, false},
    StatusRule{429, "insufficient_quota", ReplyErrorKind::money, false},
    StatusRule{429, "billing", ReplyErrorKind::money, false},
    StatusRule{401, "", ReplyErrorKind::authentication, false},
    StatusRule{403, "", ReplyErrorKind::authentication, false},
    StatusRule{413, "", ReplyErrorKind::too_large, false},
    StatusRule{400, "context_length", ReplyErrorKind::too_large, false},
    StatusRule{400, "exceed_context_size", ReplyErrorKind::too_large, false},
    StatusRule{408, "", ReplyErrorKind::unavailable, true},
    StatusRule{409, "", ReplyErrorKind::unavailable, true},
    StatusRule{429, "", ReplyErrorKind::rate_limited, true},
};

ChatError classify(int status, const ErrorBody& body) {
  for (const auto& rule : kStatusRules) {
    const bool about =
        body.code.find(rule.word) != std::string::npos || body.message.find(rule.word) != std::string::npos;
    if (rule.status == status && about) {
      return {.kind = rule.kind, .retryable = rule.retryable, .status = status};
    }
  }
  if (status >= 500) {
    return {.kind = ReplyErrorKind::unavailable, .retryable = true, .status = status};
  }
  return {.kind = ReplyErrorKind::configuration, .status = status};
}

ChatError error_of(const Secret& key, const HttpResponse& response, const ErrorBody& body) {
  ChatError error = classify(response.status, body);
  error.message = one_line(key.redact(fmt::format("HTTP {}: {}", response.status, body.message.substr(0, kBodyCap))));
  const bool final = error.kind == ReplyErrorKind::authentication || error.kind == ReplyErrorKind::money;
  const auto advice = response.header("x-should-retry").value_or("");
  if (!final && (advice == "true" || advice == "false")) {
    error.retryable = advice == "true";
  }
  return error;
}

/// A 200 that holds no reply: an error passed on by a proxy, or nothing we can read.
ChatError error_of_success(const Secret& key, const json& parsed, const json& choice, const HttpResponse& response) {
  const json& error = at(choice, "error").is_null() ? at(parsed, "error") : at(choice, "error");
  ChatError result{.retryable = true, .status = response.status};
  if (error.is_null() && text(at(choice, "finish_reason")) != "error") {
    result.kind = ReplyErrorKind::malformed;
    result.billed = true;
    result.message = "the answer is not a chat completion: " + response.body.substr(0, 120);
  } else {
    const std::string message = error.is_string() ? error.get<std::string>() : text(at(error, "message"));
    result.message = "an error inside an answer: " + message.substr(0, kBodyCap);
  }
  result.message = one_line(key.redact(result.message));
  return result;
}

Finish finish_of(const json& choice) {
  const std::string reason = text(at(choice, "finish_reason"));
  if (!text(at(at(choice, "message"), "refusal")).empty()) {
    return Finish::refusal;
  }
  return reason == "length" ? Finish::length : reason == "content_filter" ? Finish::filter : Finish::stop;
}

std::size_t bytes_of(const Prompt& prompt) {
  std::size_t bytes = 0;
  for (const auto& message : prompt.messages) {
    bytes += message.text.size() + 16;  // the role and what separates messages
  }
  return bytes;
}

Usage usage_of(const json& parsed, const std::string& content, const Prompt& prompt) {
  const json& usage = at(parsed, "usage");
  if (!usage.is_object()) {  // rounded up: English and Python have three bytes a token and more
    return {.prompt_tokens = static_cast<std::int64_t>(bytes_of(prompt) / 3 + 1),
            .completion_tokens = static_cast<std::int64_t>(content.size() / 3 + 1),
            .estimated = true};
  }
  const auto cached = whole(at(at(usage, "prompt_tokens_details"), "cached_tokens"));
  return {.prompt_tokens = whole(at(usage, "prompt_tokens")),
          .cached_tokens = cached > 0 ? cached : whole(at(usage, "prompt_cache_hit_tokens")),
          .completion_tokens = whole(at(usage, "completion_tokens")),
          .reasoning_tokens = whole(at(at(usage, "completion_tokens_details"), "reasoning_tokens"))};
}

/// Routers that sell many models say what they charged, in dollars.
std::int64_t charged(const json& parsed, std::int64_t computed) {
  const json& cost = at(at(parsed, "usage"), "cost");
  const double dollars = cost.is_number() ? cost.get<double>() : -1;
  return dollars >= 0 && dollars <= 1000 ? std::llround(dollars * 1e9) : computed;
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
  const auto end = config.base_url.find_last_not_of('/') + 1;
  HttpRequest request{.url = config.base_url.substr(0, end) + "/chat/completions",
                      .headers = {{"Content-Type", "application/json"}}};
  if (!key.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + key.reveal());
  }
  request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  request.allow_http = config.allow_http;
  request.total_timeout = config.total_timeout;
  request.first_byte_timeout = config.total_timeout;  // nothing comes before the whole reply is written
  return request;
}

tl::expected<Reply, ChatError> decode_chat(const ProviderConfig& config, const Secret& key, const Prompt& prompt,
                                           const HttpResponse& response) {
  Reply reply;
  reply.latency = response.elapsed;
  if (response.status < 200 || response.status >= 300) {
    const ErrorBody body = error_body(response.body);
    if (response.status == 400 && body.code.find("content_filter") != std::string::npos) {
      reply.finish = Finish::filter;  // the prompt's fault, not the provider's
      return reply;
    }
    return tl::unexpected(error_of(key, response, body));
  }
  const json parsed = parse(response.body);
  const json& choices = at(parsed, "choices");
  const json choice = choices.is_array() && !choices.empty() ? choices.front() : json();
  const json& message = at(choice, "message");
  if (!message.is_object() || !at(choice, "error").is_null() || text(at(choice, "finish_reason")) == "error") {
    return tl::unexpected(error_of_success(key, parsed, choice, response));
  }
  reply.text = content_of(message);
  reply.finish = finish_of(choice);
  reply.usage = usage_of(parsed, reply.text, prompt);
  reply.model = one_line(text(at(parsed, "model")));
  reply.cost_nano_dollars = charged(parsed, cost(config, reply.usage));
  return reply;
}

std::int64_t reservation(const ProviderConfig& config, const Prompt& prompt) {
  if (!config.price) {
    return 0;
  }
  const double tokens_in = static_cast<double>(bytes_of(prompt)) / 3;
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
