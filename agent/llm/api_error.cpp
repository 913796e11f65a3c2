#include "agent/llm/api_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "agent/llm/json_fields.h"
#include "agent/llm/retry.h"
#include "oracle/rules/message.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

constexpr std::size_t kBodyCap = 2048;  // bytes of an error page, before redaction and shortening

struct ErrorBody {
  std::string message, code, param;
  bool flagged = false;  // the prompt was refused by moderation
  std::optional<std::chrono::milliseconds> retry_delay;
};

/// Google's {"details": [{"retryDelay": "7s"}]}.
std::optional<std::chrono::milliseconds> retry_delay_of(const json& error) {
  for (const json& detail : field(error, "details")) {
    if (const auto delay = span_from_text(text_of(field(detail, "retryDelay")))) return delay;
  }
  return std::nullopt;
}

ErrorBody of_object(const json& error) {
  const std::string inner = text_of(field(field(error, "innererror"), "code"));
  return {.message = text_of(field(error, "message")),
          .code = fmt::format("{} {} {} {}", text_of(field(error, "code")), text_of(field(error, "type")),
                              text_of(field(error, "status")), inner),
          .param = text_of(field(error, "param")),
          .flagged = field(field(error, "metadata"), "reasons").is_array(),
          .retry_delay = retry_delay_of(error)};
}

/// Accepts {error:{…}}, {error:"text"}, {object:"error", message}, [{error:{…}}], {detail: …}, or no JSON at all.
ErrorBody error_body(const std::string& body) {
  json parsed = parse_body(body);
  if (parsed.is_array() && !parsed.empty()) parsed = json(parsed.front());
  const json& error = field(parsed, "error");
  if (error.is_object()) return of_object(error);
  if (error.is_string()) return {.message = error.get<std::string>(), .code = text_of(field(parsed, "code"))};
  if (parsed.is_object()) {
    const json& detail = field(parsed, "detail");
    ErrorBody flat = of_object(parsed);
    flat.message = detail.is_null() ? flat.message : detail.is_string() ? detail.get<std::string>() : detail.dump();
    return flat;
  }
  const auto start = std::min(body.find_first_not_of(" \r\n\t"), body.size());
  if (start == body.size()) return {.message = "an empty body"};
  return {.message = body[start] == '<' ? "an HTML page" : body.substr(start, kBodyCap)};
}

struct StatusRule {
  int status;
  const char* word;  // substring of the code, type or message; empty: any
  ReplyErrorKind kind;
  bool retryable;
};

/// The first matching row decides.
constexpr std::array kStatusRules = {
    StatusRule{402, "", ReplyErrorKind::money, false},
    StatusRule{429, "insufficient_quota", ReplyErrorKind::money, false},
    StatusRule{429, "billing", ReplyErrorKind::money, false},
    StatusRule{400, "credit balance", ReplyErrorKind::money, false},    // Anthropic: an empty account
    StatusRule{400, "API usage limits", ReplyErrorKind::money, false},  // Anthropic: a limit set by the operator
    StatusRule{401, "", ReplyErrorKind::authentication, false},
    StatusRule{403, "", ReplyErrorKind::authentication, false},
    StatusRule{413, "", ReplyErrorKind::too_large, false},
    StatusRule{400, "context_length", ReplyErrorKind::too_large, false},
    StatusRule{400, "exceed_context_size", ReplyErrorKind::too_large, false},     // llama.cpp
    StatusRule{400, "maximum context length", ReplyErrorKind::too_large, false},  // vLLM, OpenRouter: no error code
    StatusRule{400, "prompt is too long", ReplyErrorKind::too_large, false},      // Anthropic
    StatusRule{408, "", ReplyErrorKind::unavailable, true},
    StatusRule{409, "", ReplyErrorKind::unavailable, true},
    StatusRule{429, "", ReplyErrorKind::rate_limited, true},
    StatusRule{501, "", ReplyErrorKind::configuration, false},  // llama.cpp: started without the requested feature
};

ApiError classify(int status, const ErrorBody& body) {
  for (const auto& rule : kStatusRules) {
    const bool about =
        body.code.find(rule.word) != std::string::npos || body.message.find(rule.word) != std::string::npos;
    if (rule.status == status && about) return {.kind = rule.kind, .retryable = rule.retryable, .status = status};
  }
  if (status >= 500) return {.kind = ReplyErrorKind::unavailable, .retryable = true, .status = status};
  return {.kind = ReplyErrorKind::configuration, .status = status};
}

bool holds_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// The field that a 400 reports as unknown or unsupported; else empty.
std::string refused_field(const ErrorBody& body) {
  const std::string words = oracle::lowered(body.code + " " + body.message);
  if (!holds_any(words, {"unsupported", "not support", "unrecognized", "unknown", "extra input", "not permitted",
                         "not allowed", "deprecated"})) {
    return "";
  }
  if (!body.param.empty()) return body.param;
  for (const char* name : {"temperature", "seed", "reasoning_effort", "output_config", "service_tier",
                           "max_completion_tokens", "max_tokens"}) {
    if (words.find(name) != std::string::npos) return name;
  }
  return "";
}

}  // namespace

ApiError error_of_status(const Secret& key, const HttpResponse& response) {
  const ErrorBody body = error_body(response.body);
  ApiError error = classify(response.status, body);
  error.message = one_line(key.redact(fmt::format("HTTP {}: {}", response.status, body.message.substr(0, kBodyCap))));
  error.asked_wait = body.retry_delay;
  if (response.status == 400 || response.status == 422) error.refused_field = refused_field(body);
  const bool final = error.kind == ReplyErrorKind::authentication || error.kind == ReplyErrorKind::money;
  const auto advice = response.header("x-should-retry").value_or("");
  if (!final && (advice == "true" || advice == "false")) error.retryable = advice == "true";
  return error;
}

ApiError error_of_success(const Secret& key, const json& error, const HttpResponse& response, const char* expected) {
  ApiError result{.retryable = true, .status = response.status};
  if (error.is_null()) {
    result.kind = ReplyErrorKind::malformed;
    result.billed = true;
    result.message = fmt::format("the answer is not {}: {}", expected, response.body.substr(0, 120));
  } else {
    const ErrorBody body = error.is_string() ? ErrorBody{.message = error.get<std::string>()} : of_object(error);
    if (const auto code = count_of(field(error, "code")); code >= 400 && code <= 599) {
      result = classify(static_cast<int>(code), body);  // from a router: the status it would have answered
      result.status = response.status;
    }
    result.message = "an error inside an answer: " + body.message.substr(0, kBodyCap);
    result.asked_wait = body.retry_delay;
  }
  result.message = one_line(key.redact(result.message));
  return result;
}

bool is_filtered(const HttpResponse& response) {
  if (response.status != 400 && response.status != 403) return false;
  const ErrorBody body = error_body(response.body);
  return (response.status == 400 && body.code.find("content_filter") != std::string::npos) ||
         (response.status == 403 && body.flagged);
}

}  // namespace parityd::agent
