#include "executor/syntax/syntax_process.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "oracle/json_read.h"

namespace parityd::executor {

namespace {

constexpr std::size_t kAhead = 128;  // most take a millisecond or two; the loop turns five to ten times a second
constexpr int kPipeBytes = 1 << 20;  // room for that many requests or answers of 8 KiB

using nlohmann::json;

}  // namespace

SyntaxProcess::SyntaxProcess(SyntaxPlaces places) : places_(std::move(places)) {
  std::filesystem::create_directories(places_.scratch);
}

void SyntaxProcess::ask(json message, Respond respond) {
  Request request{.id = next_id_++, .line = {}, .respond = std::move(respond)};
  message["id"] = request.id;
  try {
    request.line = message.dump() + "\n";
  } catch (const json::exception&) {
    request.respond(tl::unexpected(SyntaxError{"the program is not UTF-8"}));
    return;
  }
  queue_.push_back(std::move(request));
  send();
}

ProcessOptions SyntaxProcess::command() const {
  ProcessOptions options;
  if (places_.launcher.empty()) {
    options.command = {places_.python.string(), "-I", places_.script.string()};
  } else {
    options.command = {places_.launcher.string(), "--syntax",  places_.script.string(), "--python",
                       places_.python.string(),   "--scratch", places_.scratch.string()};
  }
  const char* path = std::getenv("PATH");
  options.environment = {{"PATH", path != nullptr ? path : "/usr/bin:/bin"},
                         {"HOME", places_.scratch.string()},
                         {"TMPDIR", places_.scratch.string()},
                         {"LC_ALL", "C.UTF-8"},
                         {"PYTHONHASHSEED", "0"}};
  options.directory = places_.scratch;
  options.pipe_bytes = kPipeBytes;
  return options;
}

void SyntaxProcess::send() {
  while (sent_ < std::min(kAhead, queue_.size())) {
    try {
      if (!process_) process_.emplace(command());
    } catch (const std::system_error& error) {
      finish(tl::unexpected(SyntaxError{std::string("the syntax process does not start: ") + error.what()}));
      return;
    }
    process_->write(queue_[sent_++].line);
  }
}

/// Answers the first request.
void SyntaxProcess::finish(tl::expected<json, SyntaxError> answer) {
  sent_ -= std::min<std::size_t>(sent_, 1);
  const Respond respond = std::move(queue_.front().respond);
  queue_.pop_front();
  respond(std::move(answer));  // may ask again
}

void SyntaxProcess::on_line(const std::string& line) {
  json answer = oracle::parsed(line);
  if (sent_ == 0 || !answer.is_object() || answer.value("id", json()) != json(queue_.front().id)) {
    lose("the syntax process answered out of turn");
  } else if (const auto error = answer.find("error"); error != answer.end() && error->is_object()) {
    const json& message = error->value("message", json("?"));
    const json& at = error->value("line", json(0));
    finish(tl::unexpected(SyntaxError{message.is_string() ? message.get<std::string>() : message.dump(),
                                      at.is_number_integer() ? at.get<int>() : 0}));
  } else {
    finish(answer.value("ok", json::object()));
  }
}

/// Gives up on the process. Answers come in order, so the first request without one is the suspect; those sent after it
/// are sent again, to another process.
void SyntaxProcess::lose(const std::string& why) {
  const std::string errors = process_->captured_errors();
  process_.reset();
  if (std::exchange(sent_, 0) == 0) return;
  const auto tail = errors.substr(errors.size() > 300 ? errors.size() - 300 : 0);
  finish(tl::unexpected(SyntaxError{why + (tail.empty() ? "" : ": " + tail)}));
}

void SyntaxProcess::poll() {
  send();
  while (process_) {
    process_->poll();
    if (std::optional<std::string> line = process_->take_line()) {
      on_line(*line);
    } else if (process_->overflowed()) {
      lose("the syntax process sent a line that is too long");
    } else if (process_->output_closed()) {
      lose("the syntax process died");
    } else {
      break;
    }
    send();
  }
}

void SyntaxProcess::append_interests(std::vector<Interest>& interests) const {
  if (process_) process_->append_interests(interests);
}

void SyntaxProcess::wait() {
  while (!idle()) {
    poll();
    if (idle()) return;
    if (process_) (void)process_->wait(std::chrono::seconds(1));
  }
}

void SyntaxProcess::rest() {
  if (sent_ == 0) process_.reset();
}

}  // namespace parityd::executor
