#include "agent/llm/cassette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/llm/json_fields.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

using nlohmann::json;

/// The response headers that influence anything; cookies, organisations and the like are not recorded.
constexpr std::array<std::string_view, 5> kKeptHeaders{"content-type", "retry-after", "retry-after-ms",
                                                       "x-should-retry", "request-id"};

bool kept_header(std::string_view name) {
  return std::find(kKeptHeaders.begin(), kKeptHeaders.end(), name) != kKeptHeaders.end() ||
         name.find("ratelimit") != std::string_view::npos;
}

/// The URL's path, without host and query, which differ between machines.
std::string path_of(const std::string& url) {
  const auto host = url.find("://");
  const auto begin = url.find('/', host == std::string::npos ? 0 : host + 3);
  return begin == std::string::npos ? "/" : url.substr(begin, url.find('?', begin) - begin);
}

json recorded_request(const HttpRequest& request) {
  json body = parse_body(request.body);
  return {{"method", request.get ? "GET" : "POST"},
          {"path", path_of(request.url)},
          {"body", body.is_discarded() ? json(request.body) : std::move(body)}};
}

/// Equal for equivalent requests: keys in order, without the fields that only make one request differ from the next.
std::string canonical(json request) {
  if (auto& body = request["body"]; body.is_object()) {
    for (const char* name : {"seed", "metadata", "prompt_cache_key"}) {
      body.erase(name);
    }
  }
  return oracle::compact(request);
}

Secret key_in(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "authorization" || name == "x-api-key" || name == "api-key") {
      return Secret(value.starts_with("Bearer ") ? value.substr(7) : value);
    }
  }
  return {};
}

json recorded_result(const HttpResult& result, const Secret& key) {
  if (!result) {
    const HttpError& error = result.error();
    return {{"error",
             {{"kind", static_cast<int>(error.kind)}, {"message", key.redact(error.message)}, {"sent", error.sent}}}};
  }
  json headers = json::object();
  for (const auto& [name, value] : result->headers) {
    if (kept_header(name)) headers[name] = key.redact(value);
  }
  return {{"response", {{"status", result->status}, {"headers", headers}, {"body", key.redact(result->body)}}}};
}

HttpResult result_of(const json& entry) {
  if (const json& error = field(entry, "error"); error.is_object()) {
    const auto kind =
        std::clamp<std::int64_t>(count_of(field(error, "kind")), 0, static_cast<std::int64_t>(HttpError::Kind::other));
    return tl::unexpected(HttpError{.kind = static_cast<HttpError::Kind>(kind),
                                    .message = text_of(field(error, "message")),
                                    .sent = field(error, "sent") == json(true)});
  }
  const json& response = field(entry, "response");
  HttpResponse result{.status = static_cast<int>(count_of(field(response, "status"))),
                      .headers = {},
                      .body = text_of(field(response, "body"))};
  for (const auto& [name, value] : field(response, "headers").items()) {
    result.headers.emplace_back(name, text_of(value));
  }
  return result;
}

}  // namespace

tl::expected<std::unique_ptr<CassetteRecorder>, std::string> CassetteRecorder::open(const std::filesystem::path& file,
                                                                                    Transport& inner) {
  std::ofstream stream(file, std::ios::app | std::ios::binary);
  if (!stream) return tl::unexpected(fmt::format("{} cannot be written", file.string()));
  return std::make_unique<CassetteRecorder>(std::move(stream), inner);
}

TransferId CassetteRecorder::start(HttpRequest request) {
  Asked asked{.request = recorded_request(request), .key = key_in(request)};
  const TransferId id = inner_.start(std::move(request));
  asked_.emplace(id, std::move(asked));
  return id;
}

void CassetteRecorder::cancel(TransferId id) {
  asked_.erase(id);
  inner_.cancel(id);
}

std::optional<HttpResult> CassetteRecorder::pop_result(TransferId id) {
  auto result = inner_.pop_result(id);
  const auto asked = asked_.find(id);
  if (!result || asked == asked_.end()) return result;
  json entry = recorded_result(*result, asked->second.key);
  entry["request"] = std::move(asked->second.request);
  stream_ << oracle::compact(entry) << std::endl;
  asked_.erase(asked);
  return result;
}

tl::expected<std::unique_ptr<CassetteReplayer>, std::string> CassetteReplayer::open(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<Entry> entries;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const json entry = parse_body(line);
    if (!field(entry, "request").is_object()) {
      return tl::unexpected(fmt::format("{}:{}: is no recorded request", file.string(), number));
    }
    entries.push_back({.request = canonical(field(entry, "request")), .result = result_of(entry)});
  }
  if (!stream.eof()) return tl::unexpected(fmt::format("{} cannot be read", file.string()));
  return std::make_unique<CassetteReplayer>(file, std::move(entries));
}

TransferId CassetteReplayer::start(HttpRequest request) {
  const std::string asked = canonical(recorded_request(request));
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return !entry.used && entry.request == asked; });
  if (found == entries_.end()) {
    results_.emplace(next_, tl::unexpected(miss(asked)));
  } else {
    found->used = true;
    results_.emplace(next_, found->result);
  }
  return next_++;
}

std::optional<HttpResult> CassetteReplayer::pop_result(TransferId id) {
  const auto found = results_.find(id);
  if (found == results_.end()) return std::nullopt;
  HttpResult result = std::move(found->second);
  results_.erase(found);
  return result;
}

/// The nearest recorded request is the one with the longest common prefix.
HttpError CassetteReplayer::miss(const std::string& request) const {
  std::size_t line = 0;
  std::size_t same = 0;
  for (std::size_t at = 0; at < entries_.size(); ++at) {
    const std::string& other = entries_[at].request;
    const auto end = std::mismatch(request.begin(), request.end(), other.begin(), other.end());
    const auto length = static_cast<std::size_t>(end.first - request.begin());
    if (line == 0 || length > same) {
      line = at + 1;
      same = length;
    }
  }
  HttpError error{.kind = HttpError::Kind::refused, .message = file_.string() + " is empty"};
  if (line > 0 && entries_[line - 1].request == request) {
    error.message =
        fmt::format("every answer that {} has to this request has been used (line {} is one)", file_.string(), line);
  } else if (line > 0) {
    constexpr std::size_t kShown = 40;
    const std::size_t from = same > kShown / 2 ? same - kShown / 2 : 0;
    error.message = fmt::format("no such request in {}; the nearest is line {}, which has <{}> where this one has <{}>",
                                file_.string(), line, entries_[line - 1].request.substr(from, kShown),
                                request.substr(from, kShown));
  }
  return error;
}

}  // namespace parityd::agent
