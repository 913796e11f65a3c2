#include "agent/cli/commands/known_sync.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

using namespace std::chrono_literals;
using oracle::Kind;
using oracle::Stage;

constexpr std::size_t kPageSize = 100;
constexpr int kMostPages = 100;  // per label; more would be a server that never ends
constexpr std::size_t kTitleLimit = 300;
/// URL-encoded.
constexpr std::array<std::string_view, 3> kLabels{"oncall%3A%20pt2", "oncall%3A%20cpu%20inductor", "topic%3A%20fuzzer"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char character) { return static_cast<char>(std::tolower(character)); });
  return text;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

Kind kind_of(const std::string& title) {
  if (has_any(title, {"accepts", "validation", "eager raises", "eager rejects", "bypass", "skips"})) {
    return Kind::missing_check;
  }
  if (has_any(title, {"segfault", "sigsegv", "sigfpe", "core dump", "segmentation fault", "sigabrt"})) {
    return Kind::crash;
  }
  if (has_any(title, {"hang", "deadlock", "never ends", "infinite loop"})) return Kind::hang;
  if (has_any(title, {"stride", "dtype", "memory format", "channels_last", "requires_grad", "layout"})) {
    return Kind::metadata;
  }
  if (has_any(title, {"mutat", "in-place", "inplace", "alias"})) return Kind::mutation;
  if (has_any(title, {"gradient", "backward"})) return Kind::gradient;
  if (has_any(title, {"wrong", "incorrect", "mismatch", "differ", "inconsisten", "diverge", "silent", "nan"})) {
    return Kind::numerical;
  }
  return has_any(title, {"error", "exception", "fail", "crash", "assert"}) ? Kind::behaviour : Kind::numerical;
}

Stage stage_of(const std::string& title_and_labels) {
  if (has_any(title_and_labels, {"inductor"})) return Stage::inductor;
  if (has_any(title_and_labels, {"decomp"})) return Stage::aot_eager_decomp_partition;
  if (has_any(title_and_labels, {"aot_eager", "aotdispatch", "aot_autograd", "functionaliz"})) return Stage::aot_eager;
  return has_any(title_and_labels, {"dynamo"}) ? Stage::dynamo_eager : Stage::inductor;
}

std::string device_of(const std::string& title_and_labels) {
  const bool cuda = has_any(title_and_labels, {"cuda", "triton", "gpu"});
  const bool cpu = has_any(title_and_labels, {"cpu", "c++", "cpp"});
  return cuda == cpu ? "any" : cuda ? "cuda" : "cpu";
}

std::vector<std::string> operators_of(const std::string& title, const std::set<std::string>& known) {
  std::set<std::string> found;
  std::string word;
  for (const char character : title + " ") {
    if (store::in_name(character)) {
      word += character;
    } else {
      if (known.contains(word)) found.insert(word);
      word.clear();
    }
  }
  return {found.begin(), found.end()};
}

/// Throws as for a malformed page: an implausible number would be truncated to another issue's.
int number_of(const nlohmann::json& value) {
  constexpr std::uint64_t kMost = 100'000'000;
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 || value.get<std::uint64_t>() >= kMost) {
    throw nlohmann::json::type_error::create(302, "no issue's number", &value);
  }
  return value.get<int>();
}

store::KnownIssue issue_of(const nlohmann::json& entry, const std::set<std::string>& operators) {
  store::KnownIssue issue;
  issue.number = number_of(entry.at("number"));
  issue.title = store::shortened(store::clean_line(entry.at("title").get<std::string>()), kTitleLimit);
  issue.state = entry.at("state").get<std::string>() == "closed" ? "closed" : "open";
  std::string words = lower(issue.title);
  issue.operators = operators_of(words, operators);
  issue.kind = kind_of(words);
  for (const auto& label : entry.value("labels", nlohmann::json::array())) {
    words += " " + lower(label.is_object() ? label.value("name", "") : "");
  }
  issue.stage = stage_of(words);
  issue.device = device_of(words);
  return issue;
}

std::string address(const KnownSyncRequest& request, std::string_view label, int page) {
  return fmt::format(
      "{}/repos/pytorch/pytorch/issues?labels={}&state=all&since={:%Y-%m-%dT%H:%M:%SZ}&sort=updated&direction=asc"
      "&per_page={}&page={}",
      request.url, label, fmt::gmtime(static_cast<std::time_t>(request.since / 1000)), kPageSize, page);
}

std::string limit_message(const HttpResponse& response, bool has_token) {
  std::string until;
  const auto reset = response.header("x-ratelimit-reset");
  if (const auto wait = response.header("retry-after"); wait && wait->find_first_not_of("0123456789") == wait->npos) {
    until = fmt::format("; try again in {} seconds", *wait);
  } else if (reset && !reset->empty() && reset->size() < 12 && reset->find_first_not_of("0123456789") == reset->npos) {
    until = fmt::format("; it is reset at {:%H:%M} UTC", fmt::gmtime(static_cast<std::time_t>(std::stoll(*reset))));
  }
  return fmt::format("GitHub's rate limit is reached (status {}){}{}", response.status, until,
                     has_token ? "" : "; the limit is much higher with a token ([known] token_env)");
}

std::string status_message(const HttpResponse& response, const KnownSyncRequest& request) {
  const bool has_token = !request.token.empty();
  switch (response.status) {
    case 401:
      return "GitHub rejected the token (status 401); renew it or remove it";
    case 403:
    case 429:
      return limit_message(response, has_token);
    default:
      return fmt::format("{} answered with status {}; check that [known] url is GitHub's REST API", request.url,
                         response.status);
  }
}

tl::expected<HttpResponse, std::string> get(HttpClient& http, const KnownSyncRequest& request, const std::string& url) {
  HttpRequest asked{.url = url, .get = true};
  asked.headers = {{"Accept", "application/vnd.github+json"}};
  if (!request.token.empty()) asked.headers.emplace_back("Authorization", "Bearer " + request.token.reveal());
  asked.first_byte_timeout = asked.total_timeout = 60s;
  EventLoop loop{&http};
  const TransferId id = http.start(std::move(asked));
  std::optional<HttpResult> result;
  while (!(result = http.pop_result(id))) loop.wait({}, 1s);
  if (!*result) return tl::unexpected(request.url + ": " + request.token.redact(result->error().message));
  if ((*result)->status != 200) return tl::unexpected(status_message(**result, request));
  return std::move(**result);
}

}  // namespace

tl::expected<GithubPage, std::string> issues_of_page(std::string_view text, const std::set<std::string>& operators) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array()) return tl::unexpected(std::string("the answer is not a list of issues"));
  GithubPage page;
  try {
    for (const auto& entry : json) {
      ++page.entries;
      if (!entry.contains("pull_request")) page.issues.push_back(issue_of(entry, operators));
    }
  } catch (const nlohmann::json::exception&) {
    return tl::unexpected(fmt::format("entry {} of the answer is not an issue", page.entries));
  }
  return page;
}

tl::expected<std::vector<store::KnownIssue>, std::string> fetch_known_issues(HttpClient& http,
                                                                             const KnownSyncRequest& request) {
  std::map<int, store::KnownIssue> found;  // an issue may have several labels
  for (const std::string_view label : kLabels) {
    for (int number = 1;; ++number) {
      if (number > kMostPages) return tl::unexpected(request.url + ": the list of issues does not end");
      const auto response = get(http, request, address(request, label, number));
      if (!response) return tl::unexpected(response.error());
      auto page = issues_of_page(response->body, request.operators);
      if (!page) return tl::unexpected(request.url + ": " + page.error());
      for (auto& issue : page->issues) found[issue.number] = std::move(issue);
      if (page->entries < kPageSize) break;
    }
  }
  std::vector<store::KnownIssue> issues;
  issues.reserve(found.size());
  for (auto& [number, issue] : found) issues.push_back(std::move(issue));
  return issues;
}

}  // namespace parityd::agent
