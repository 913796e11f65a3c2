// Drives a ChatProvider against the stand-in: real sockets, a clock that jumps to the provider's next deadline.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "agent/llm/chat_provider.h"
#include "agent/llm/http.h"
#include "tests/agent/llm/stand_in.h"
#include "tests/catch.h"

namespace parityd::agent::test {

inline Prompt prompt_of(const std::string& text) {
  return {.strategy = "operators",
          .messages = {{Message::Role::system, "You write programs."}, {Message::Role::user, text}}};
}

inline ProviderConfig config_for(const std::string& base_url) {
  ProviderConfig config{.name = "standin", .base_url = base_url, .model = "stand-in-1", .max_in_flight = 16};
  config.price = ModelPrice{.input = 1, .cached_input = 0.1, .output = 2};
  return config;
}

/// How long a test waits for sockets on a loaded machine: time, for turns that end at once say nothing.
class Patience {
 public:
  [[nodiscard]] bool left() const { return std::chrono::steady_clock::now() < end_; }

 private:
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + std::chrono::seconds(200);
};

class Driver {
 public:
  explicit Driver(const nlohmann::json& rules, const std::string& server_key = "", const std::string& key = "",
                  void (*change)(ProviderConfig&) = nullptr, std::vector<std::string> options = {})
      : server_(rules, server_key, std::move(options)),
        provider_(changed(config_for(server_.base_url()), change), Secret(key), http_, 1) {}

  [[nodiscard]] ChatProvider& provider() { return provider_; }
  [[nodiscard]] const StandIn& server() const { return server_; }
  [[nodiscard]] TimePoint now() const { return now_; }
  void submit(RequestId id, const std::string& text) { provider_.submit(id, prompt_of(text), now_); }

  /// One turn of a loop. Waits between retries pass at once: the clock jumps to the provider's deadline.
  void turn(std::map<RequestId, Answer>& answers) {
    loop_.wait({}, std::chrono::milliseconds(10));
    for (auto& answer : provider_.take_answers(now_)) {
      answers.emplace(answer.id, std::move(answer));
    }
    if (const auto deadline = provider_.next_deadline(); deadline && *deadline > now_) {
      now_ = *deadline;
    }
  }

  /// Submits all with ids from 1 on and turns until each has its answer.
  std::map<RequestId, Answer> ask(const std::vector<std::string>& prompts) {
    RequestId id = 0;
    for (const auto& text : prompts) {
      submit(++id, text);
    }
    std::map<RequestId, Answer> answers;
    for (const Patience patience; answers.size() < prompts.size() && patience.left();) {
      turn(answers);
    }
    REQUIRE(answers.size() == prompts.size());
    return answers;
  }

 private:
  static ProviderConfig changed(ProviderConfig config, void (*change)(ProviderConfig&)) {
    if (change != nullptr) {
      change(config);
    }
    return config;
  }

  StandIn server_;
  HttpClient http_;
  EventLoop loop_{&http_};
  ChatProvider provider_;
  TimePoint now_ = TimePoint(std::chrono::hours(1));
};

}  // namespace parityd::agent::test
