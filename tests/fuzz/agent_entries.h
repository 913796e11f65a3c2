// Where text of strangers and of the operator enters the agent, as functions that a fuzzer can call: each goes as far
// with it as the daemon would and throws std::logic_error when a promise does not hold. One thread.
#pragma once

#include <memory>
#include <string_view>

namespace parityd::fuzz {

/// A model's reply: the program is taken out of it. What was taken out and is put into one fence is found again.
void feed_reply(std::string_view text);

/// parityd.toml. A key that nobody reads is told, whatever stands around it.
void feed_config(std::string_view text);

/// A file of known issues: read, written again, put into a request and matched with a finding.
void feed_known_issues(std::string_view text);

/// A page of GitHub's list of issues.
void feed_github_page(std::string_view json);

/// An API's answer, status line, headers and body, as if its framing had been right: taken for both vendors' protocols,
/// for what to do next, and for a reply.
void feed_answer(std::string_view bytes);

/// The same through a socket: what libcurl makes of the bytes, framing included.
class Answers {
 public:
  Answers();
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;
  void feed(std::string_view bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace parityd::fuzz
