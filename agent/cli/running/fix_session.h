// Tries of changes of torch for one finding: a question to a model, its reply as a patch, the checks. Blocks; one
// thread.
#pragma once

#include <tl/expected.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/reports/patch_report.h"
#include "agent/cli/running/fix_model.h"
#include "agent/config.h"
#include "executor/worker_build.h"
#include "store/store.h"

namespace parityd::agent {

/// A model that failed twice is not asked again.
inline constexpr int kMostTries = 2;
/// Requests of a try in which the model asks to see source (agent/fixing/source_request.h).
inline constexpr int kMostReadings = 3;

/// What changes are for, and what they are tried with. References outlive what uses them.
struct FixCase {
  const Config& config;
  const executor::BuiltWorker& worker;
  const store::Store& store;
  const store::FindingRow& finding;
  int programs = 0;  // the most consistent programs that are run with a change
  std::function<void(const std::string&)> progress;
};

/// The row of the finding's next try, asked now; the model is still to be named.
[[nodiscard]] store::FixTry next_try(const FixCase& about);

/// A try and what was seen of it.
struct JudgedReply {
  store::FixTry row;
  std::optional<PatchReport> report;  // nullopt: nothing was run
  std::string failure;  // for the model: what is wrong, with the program that shows it; empty: no second try helps
};

/// Reads the reply in the row, applies its change and runs the checks.
[[nodiscard]] JudgedReply judge_reply(const FixCase& about, store::FixTry row);

class FixSession {
 public:
  using Keep = std::function<void(const store::FixTry&)>;

  /// `keep` is called before each request, with each reply and with each result.
  FixSession(const FixCase& about, FixModel& model, Keep keep) : about_(about), model_(model), keep_(std::move(keep)) {}

  /// Asks, answers what the model asks to see, and asks once more in the same conversation if a check fails that the
  /// model can heed. If the finding's last try
  /// was answered but cut off before its result, that answer is judged in place of the first request. Returns the last
  /// try; without an answer its result is `no_answer`, after a signal `asked`. The error: the first request was refused
  /// by the budget, or no provider can answer now; nothing was kept.
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
