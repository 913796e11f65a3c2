#include "tests/simulation/simulated_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/simulation/nature.h"

namespace parityd::simulation {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::int64_t kNanoDollarsIn = 1000, kNanoDollarsOut = 2000;  // a token
constexpr std::int64_t kTokensIn = 300, kTokensOut = 200;
constexpr int kAnswerSeconds = 120;  // what the daemon waits for an answer

agent::HttpResponse response(int status, std::string body) {
  return {.status = status, .headers = {}, .body = std::move(body), .elapsed = 1s};
}

agent::HttpResponse refusal(int status, const std::string& message) {
  return response(status, json{{"error", {{"message", message}, {"code", ""}}}}.dump());
}

}  // namespace

SimulatedApi::SimulatedApi(std::uint64_t seed, const std::vector<Spell>& weather, std::chrono::seconds slowest_answer,
                           Now now, Trace& trace)
    : random_(seed), weather_(weather), slowest_answer_(slowest_answer), now_(std::move(now)), trace_(trace) {}

agent::ProviderConfig SimulatedApi::config() {
  agent::ProviderConfig config;
  config.name = "simulated";
  config.base_url = "https://api.example.com/v1";
  config.model = "simulated";
  config.max_in_flight = 4;
  config.max_output_tokens = 1000;
  config.total_timeout = config.first_byte_timeout = std::chrono::seconds(kAnswerSeconds);
  config.price = agent::ModelPrice{.input = 1, .cached_input = 1, .cache_write = 1, .output = 2};
  return config;
}

milliseconds SimulatedApi::thinking_time() {
  return milliseconds(std::uniform_int_distribution<std::int64_t>(2000, slowest_answer_.count())(random_));
}

/// A repair mends two programs of three; one reply in forty repeats the last program, one in forty holds none.
std::string SimulatedApi::text_for(const std::string& body, std::int64_t& program) {
  const bool repair = body.find("class Model") != std::string::npos;
  const auto draw = random_() % 120;
  if (draw < 3 || (repair && draw < 40)) {
    return "I have no program for you.";
  }
  const bool repeated = draw < 6 && !last_program_.empty();
  if (!repeated) {
    const Nature nature =
        repair ? Nature{.kind = Kind::consistent, .number = programs_} : drawn_nature(random_, programs_);
    ++programs_;
    last_program_ = program_of(nature);
  }
  program = nature_of(last_program_).number;
  return "```python\n" + last_program_ + "```\n";
}

SimulatedApi::Coming SimulatedApi::answered(const std::string& body) {
  std::int64_t program = -1;
  const std::string text = text_for(body, program);
  const json answer{{"model", "simulated"},
                    {"choices", {{{"finish_reason", "stop"}, {"message", {{"role", "assistant"}, {"content", text}}}}}},
                    {"usage", {{"prompt_tokens", kTokensIn}, {"completion_tokens", kTokensOut}}}};
  book_.billed_nano_dollars += kTokensIn * kNanoDollarsIn + kTokensOut * kNanoDollarsOut;
  return {.at = now_() + thinking_time(),
          .result = response(200, answer.dump()),
          .tokens = kTokensIn + kTokensOut,
          .program = program};
}

SimulatedApi::Coming SimulatedApi::failed(Weather weather, bool probe) {
  const TimePoint soon = now_() + 100ms;
  switch (weather) {
    case Weather::refused:
      return {
          .at = soon,
          .result = tl::unexpected(agent::HttpError{.kind = agent::HttpError::Kind::connect, .message = "refused"})};
    case Weather::failing:
      return {.at = soon, .result = refusal(503, "overloaded")};
    case Weather::limited: {
      auto limited = refusal(429, "slow down");
      limited.headers.emplace_back("retry-after", std::to_string(5 + random_() % 60));
      return {.at = soon, .result = std::move(limited)};
    }
    case Weather::bad_key:
      return {.at = soon, .result = refusal(401, "no such key")};
    case Weather::garbled:
      if (!probe) book_.billed_nano_dollars += kTokensIn * kNanoDollarsIn + kTokensOut * kNanoDollarsOut;
      return {.at = now_() + thinking_time(),
              .result = response(200, R"({"choices": [{"message": {"content": "```py)")};
    case Weather::silent:
    case Weather::fine:
      break;
  }
  if (!probe && random_() % 2 == 0) {
    book_.billed_nano_dollars += kTokensIn * kNanoDollarsIn + kTokensOut * kNanoDollarsOut;
  }
  return {.at = now_() + std::chrono::seconds(kAnswerSeconds),
          .result = tl::unexpected(
              agent::HttpError{.kind = agent::HttpError::Kind::timeout, .message = "no answer", .sent = true})};
}

agent::TransferId SimulatedApi::start(agent::HttpRequest request) {
  const Spell* const spell = spell_at(weather_, now_());
  const Weather weather = spell == nullptr ? Weather::fine : spell->weather;
  (request.get ? book_.probes : book_.requests) += 1;
  trace_.note(now_(), "{} {}, {}", request.get ? "probe" : "request", next_, name(weather));
  Coming coming = weather != Weather::fine ? failed(weather, request.get)
                  : request.get            ? Coming{.at = now_() + 1s, .result = response(200, "{}")}
                                           : answered(request.body);
  results_.emplace(next_, std::move(coming));
  return next_++;
}

std::optional<agent::HttpResult> SimulatedApi::pop_result(agent::TransferId id) {
  const auto found = results_.find(id);
  if (found == results_.end() || found->second.at > now_()) {
    return std::nullopt;
  }
  Coming coming = std::move(found->second);
  results_.erase(found);
  uncommitted_tokens_ += coming.tokens;
  if (coming.tokens > 0 && coming.program >= 0) {
    uncommitted_.insert(coming.program);
  }
  trace_.note(now_(), "answer {}", id);
  return std::move(coming.result);
}

bool SimulatedApi::ready() const {
  return std::ranges::any_of(results_, [now = now_()](const auto& entry) { return entry.second.at <= now; });
}

std::optional<TimePoint> SimulatedApi::next_deadline() const {
  std::optional<TimePoint> next;
  for (const auto& [id, coming] : results_) {
    next = std::min(next.value_or(coming.at), coming.at);
  }
  return next;
}

void SimulatedApi::committed() {
  book_.tokens += std::exchange(uncommitted_tokens_, 0);
  book_.programs.merge(std::exchange(uncommitted_, {}));
}

void SimulatedApi::lost() {
  results_.clear();
  uncommitted_tokens_ = 0;
  uncommitted_.clear();
}

}  // namespace parityd::simulation
