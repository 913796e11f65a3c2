// Tries of changes of torch for one finding: a question to a model, its requests and replies. Blocks; one thread.
#pragma once

#include <tl/expected.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/fixing/judged_reply.h"
#include "agent/cli/running/fix_model.h"

namespace parityd::agent {

/// A model that failed twice is not asked again.
inline constexpr int kMostTries = 2;
/// Requests of a try in which the model asks to see source (agent/fixing/source_request.h).
inline constexpr int kMostReadings = 3;

class FixSession {
 public:
  using Keep = std::function<void(const store::FixTry&)>;

  /// `keep` is called before each request, with each reply and with each result.
  FixSession(const FixCase& about, FixModel& model, Keep keep) : about_(about), model_(model), keep_(std::move(keep)) {}

  /// Asks, answers what the model asks to see, and asks once more in the same conversation if a check fails that the
  /// model can heed. If the finding's last try was answered but cut off before its result, that answer is judged in
  /// place of the first request. Returns the last try; without an answer its result is `no_answer`, after a signal
  /// `asked`. The error: the first request was refused by the budget, or no provider can answer now; nothing was kept.
  [[nodiscard]] tl::expected<JudgedReply, std::string> run(std::vector<Message> messages);

 private:
  [[nodiscard]] std::optional<store::FixTry> left_over() const;
  [[nodiscard]] tl::expected<JudgedReply, std::string> first_try(std::vector<Message>& messages);
  /// Adds what the model asked to see to the messages.
  [[nodiscard]] tl::expected<JudgedReply, std::string> one_try(std::vector<Message>& messages);
  /// Reserves the cost of a request, and keeps the row with it. The error: it was refused, or none can answer.
  [[nodiscard]] tl::expected<std::int64_t, std::string> book(const std::vector<Message>& messages, store::FixTry& row);
  [[nodiscard]] JudgedReply judge_answer(JudgedReply asked, const Reply& reply);

  const FixCase& about_;
  FixModel& model_;
  Keep keep_;
};

}  // namespace parityd::agent
