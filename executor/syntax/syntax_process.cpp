#include "executor/syntax/syntax_process.h"

#include <cstdlib>
#include <system_error>

#include "oracle/json_read.h"

namespace parityd::executor {

namespace {

constexpr int kAnswersATurn = 16;
constexpr std::chrono::milliseconds kAnswer{5};  // most take one or two

using nlohmann::json;

}  // namespace

SyntaxProcess::SyntaxProcess(SyntaxPlaces places) : places_(std::move(places)) {
  std::filesystem::create_directories(places_.scratch);
}

void SyntaxProcess::ask(json message, Respond respond) {
  message["id"] = next_id_++;
  queue_.push_back({std::move(message), std::move(respond)});
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
  return options;
}

/// One request at a time: a death then has exactly one suspect.
void SyntaxProcess::send() {
  if (sent_ || queue_.empty()) return;
  std::string line;
  try {
    line = queue_.front().message.dump() + "\n";
  } catch (const json::exception&) {
    finish(tl::unexpected(SyntaxError{"the program is not UTF-8"}));
    return;
  }
  try {
    if (!process_) process_.emplace(command());
  } catch (const std::system_error& error) {
    finish(tl::unexpected(SyntaxError{std::string("the syntax process does not start: ") + error.what()}));
    return;
  }
  sent_ = true;
  process_->write(line);
}

void SyntaxProcess::finish(tl::expected<json, SyntaxError> answer) {
  sent_ = false;
  const Respond respond = std::move(queue_.front().respond);
  queue_.pop_front();
  respond(std::move(answer));  // may ask again
}

void SyntaxProcess::take(const std::string& line) {
  json answer = oracle::parsed(line);
  if (!sent_ || !answer.is_object() || answer.value("id", json()) != queue_.front().message.at("id")) {
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

/// Gives the process up. The next request starts another.
void SyntaxProcess::lose(const std::string& why) {
  const std::string errors = process_->captured_errors();
  process_.reset();
  if (!sent_) return;
  const auto tail = errors.substr(errors.size() > 300 ? errors.size() - 300 : 0);
  finish(tl::unexpected(SyntaxError{why + (tail.empty() ? "" : ": " + tail)}));
}

/// While more is asked than is being answered, the next answers are waited for here: one a turn of the daemon's loop
/// would be fewer programs than hundreds of workers run.
void SyntaxProcess::service() {
  exchange();
  for (int answers = 0; answers < kAnswersATurn && queue_.size() > 1 && process_ && process_->wait(kAnswer);
       ++answers) {
    exchange();
  }
}

void SyntaxProcess::exchange() {
  send();
  while (process_) {
    process_->service();
    if (std::optional<std::string> line = process_->take_line()) {
      take(*line);
    } else if (process_->overflowed()) {
      lose("the syntax process sent a line beyond the cap");
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
    service();
    if (idle()) return;
    if (process_) (void)process_->wait(std::chrono::seconds(1));
  }
}

void SyntaxProcess::rest() {
  if (!sent_) process_.reset();
}

}  // namespace parityd::executor
