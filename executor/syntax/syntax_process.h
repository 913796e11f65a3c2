// A Python that parses and never runs anything: one long-lived child, JSON lines, answers in order. Started at the
// first request, and again after a death. Several requests are sent ahead, so that it works while the loop does
// something else. One thread (the loop's).
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/process/interest.h"
#include "executor/process/process.h"
#include "executor/syntax/syntax.h"

namespace parityd::executor {

/// How to start it. `scratch`: its home and temporary folder, created here; the caller decides on its owner and removes
/// it.
struct SyntaxPlaces {
  std::filesystem::path launcher, python, script, scratch;  // empty launcher: without a sandbox
};

class SyntaxProcess {
 public:
  using Respond = std::function<void(tl::expected<nlohmann::json, SyntaxError>)>;

  explicit SyntaxProcess(SyntaxPlaces places);

  /// `message` is the request without its id. `respond` is called at once or while poll() runs.
  void ask(nlohmann::json message, Respond respond);
  void append_interests(std::vector<Interest>& interests) const;
  void poll();
  [[nodiscard]] bool idle() const { return queue_.empty(); }
  /// Blocks until idle: for one-shot uses.
  void wait();
  /// Ends the child; the next request starts a new one.
  void rest();

 private:
  struct Request {
    std::int64_t id = 0;
    std::string line;
    Respond respond;
  };
  [[nodiscard]] ProcessOptions command() const;
  void send();
  void finish(tl::expected<nlohmann::json, SyntaxError> answer);
  void on_line(const std::string& line);
  void lose(const std::string& why);

  SyntaxPlaces places_;
  std::optional<Process> process_;
  std::deque<Request> queue_;  // the first `sent_` are in flight
  std::size_t sent_ = 0;
  std::int64_t next_id_ = 1;
};

/// Converts the answer's JSON to T; an answer of another shape is reported as the process's error.
template <class T>
SyntaxProcess::Respond answering(std::function<void(tl::expected<T, SyntaxError>)> done,
                                 T (*convert)(const nlohmann::json&)) {
  return [done = std::move(done), convert](tl::expected<nlohmann::json, SyntaxError> answer) {
    if (!answer) {
      done(tl::unexpected(std::move(answer.error())));
      return;
    }
    tl::expected<T, SyntaxError> result;
    try {
      result = convert(*answer);
    } catch (const nlohmann::json::exception& error) {
      result = tl::unexpected(SyntaxError{std::string("the syntax process sent an invalid answer: ") + error.what()});
    }
    done(std::move(result));
  };
}

}  // namespace parityd::executor
