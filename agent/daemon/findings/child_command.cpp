#include "agent/daemon/findings/child_command.h"

#include <fmt/format.h>

#include <cstring>
#include <system_error>
#include <utility>

#include "store/base/text.h"

namespace parityd::agent {
namespace {

constexpr std::size_t kLongestWhy = 300;  // characters
constexpr int kNotStarted = 127;          // as shells report it

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto begin = text.find_last_of('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

std::string command_failure(executor::ExitState exit, const std::string& errors) {
  if (exit.status == 0 && exit.signal == 0) return {};
  const std::string how = exit.signal != 0 ? fmt::format("ended by signal {} ({})", exit.signal, strsignal(exit.signal))
                                           : fmt::format("exit code {}", exit.status);
  const std::string said = store::clean_line(last_line(errors));
  return store::shortened(said.empty() ? how : how + ": " + said, kLongestWhy);
}

void ChildCommand::start(const executor::ProcessOptions& options, const std::string& input) {
  try {
    process_ = std::make_unique<executor::Process>(options);
    process_->write(input);
    process_->close_input();
  } catch (const std::system_error& error) {
    problem_ = error.what();
  }
}

std::optional<CommandEnd> ChildCommand::ended(executor::TimePoint now) {
  if (!problem_.empty()) return CommandEnd{.exit = {.status = kNotStarted}, .why = problem_};
  if (!process_) return std::nullopt;
  process_->poll();
  while (process_->take_line()) {
  }
  const auto exit = process_->exit_state();
  if (!exit && now >= deadline_ && !std::exchange(too_long_, true)) process_->kill_tree();
  if (!exit) return std::nullopt;
  process_->poll();
  if (too_long_) return CommandEnd{.exit = *exit, .why = fmt::format("it was killed after {} s", longest_.count())};
  return CommandEnd{.exit = *exit, .why = command_failure(*exit, process_->captured_errors())};
}

void ChildCommand::ask_to_end() {
  if (process_) process_->ask_to_end();
}

void ChildCommand::append_interests(std::vector<executor::Interest>& interests) const {
  if (process_) process_->append_interests(interests);
}

std::optional<executor::TimePoint> ChildCommand::next_deadline() const {
  if (!problem_.empty()) return executor::TimePoint{};
  return too_long_ ? std::nullopt : std::optional(deadline_);
}

}  // namespace parityd::agent
