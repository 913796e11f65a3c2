#include "executor/syntax/syntax_client.h"

#include <xxhash.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "executor/process.h"

namespace parityd::executor {

namespace {

constexpr int kAnswersATurn = 16;
constexpr std::chrono::milliseconds kAnswer{5};  // most take one or two

using nlohmann::json;
using Respond = std::function<void(tl::expected<json, SyntaxError>)>;

struct Request {
  json message;
  Respond respond;
};

std::string identity_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<char, 33> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return {digits.data(), 32};
}

Normalised normalised_from(const json& answer) {
  Normalised result;
  result.identity = identity_of(answer.at("identity_text").get<std::string>());
  result.text = answer.at("text").get<std::string>();
  result.fixes = answer.at("fixes").get<std::vector<std::string>>();
  result.options_text = answer.at("options").dump();
  result.draws = answer.at("draws").get<bool>();
  result.has_model = answer.at("has_model").get<bool>();
  result.has_inputs = answer.at("has_inputs").get<bool>();
  result.problem = answer.at("problem").get<std::string>();
  return result;
}

Outline outline_from(const json& answer) {
  Outline result;
  result.operators = answer.at("operators").get<std::vector<std::string>>();
  result.statements = answer.at("statements").get<int>();
  return result;
}

std::vector<Mutant> mutants_from(const json& answer) {
  std::vector<Mutant> result;
  for (const json& mutant : answer.at("mutants")) {
    result.push_back({mutant.at("program").get<std::string>(), mutant.at("kind").get<std::string>(),
                      mutant.at("description").get<std::string>()});
  }
  return result;
}

ReductionEdits reductions_from(const json& answer) {
  ReductionEdits result{
      .edits = {}, .statements = answer.at("statements").get<int>(), .lines = answer.at("lines").get<int>()};
  for (const json& edit : answer.at("reductions")) {
    result.edits.push_back({edit.at("id").get<std::string>(), edit.at("family").get<std::string>(),
                            edit.at("style").get<std::string>(), edit.at("description").get<std::string>()});
  }
  return result;
}

ReducedText reduced_from(const json& answer) {
  return {.program = answer.at("program").get<std::string>(),
          .options_text = answer.at("options").dump(),
          .statements = answer.at("statements").get<int>(),
          .lines = answer.at("lines").get<int>()};
}

std::vector<ProgramVariant> variants_from(const json& answer) {
  std::vector<ProgramVariant> result;
  for (const json& variant : answer.at("variants")) {
    ProgramVariant found{.aspect = variant.at("aspect").get<std::string>(),
                         .value = variant.at("value").get<std::string>(),
                         .unit = variant.at("unit").get<std::string>()};
    if (variant.contains("program")) {
      found.program = variant.at("program").get<std::string>();
      found.options_text = variant.at("options").dump();
    }
    result.push_back(std::move(found));
  }
  return result;
}

/// Turns the answer's JSON into T; an answer of another shape is the process's fault and reported as such.
template <class T>
Respond answering(std::function<void(tl::expected<T, SyntaxError>)> done, T (*convert)(const json&)) {
  return [done = std::move(done), convert](tl::expected<json, SyntaxError> answer) {
    if (!answer) {
      done(tl::unexpected(std::move(answer.error())));
      return;
    }
    tl::expected<T, SyntaxError> result;
    try {
      result = convert(*answer);
    } catch (const json::exception& error) {
      result =
          tl::unexpected(SyntaxError{std::string("the syntax process answered in another shape: ") + error.what()});
    }
    done(std::move(result));
  };
}

}  // namespace

json Normalised::options() const { return json::parse(options_text.empty() ? "{}" : options_text); }

struct SyntaxClient::State {
  std::filesystem::path launcher, python, script, scratch;
  std::optional<Process> process;
  std::deque<Request> queue;  // the front one is in flight when `sent`
  bool sent = false;
  std::int64_t next_id = 1;

  void ask(json message, Respond respond) {
    message["id"] = next_id++;
    queue.push_back({std::move(message), std::move(respond)});
    send();
  }

  [[nodiscard]] ProcessOptions command() const {
    ProcessOptions options;
    if (launcher.empty()) {
      options.command = {python.string(), "-I", script.string()};
    } else {
      options.command = {launcher.string(), "--syntax",  script.string(), "--python",
                         python.string(),   "--scratch", scratch.string()};
    }
    const char* path = std::getenv("PATH");
    options.environment = {{"PATH", path != nullptr ? path : "/usr/bin:/bin"},
                           {"HOME", scratch.string()},
                           {"TMPDIR", scratch.string()},
                           {"LC_ALL", "C.UTF-8"},
                           {"PYTHONHASHSEED", "0"}};
    options.directory = scratch;
    return options;
  }

  /// One request at a time: a death then has exactly one suspect.
  void send() {
    if (sent || queue.empty()) return;
    std::string line;
    try {
      line = queue.front().message.dump() + "\n";
    } catch (const json::exception&) {
      finish(tl::unexpected(SyntaxError{"the program is not UTF-8"}));
      return;
    }
    try {
      if (!process) process.emplace(command());
    } catch (const std::system_error& error) {
      finish(tl::unexpected(SyntaxError{std::string("the syntax process does not start: ") + error.what()}));
      return;
    }
    sent = true;
    process->write(line);
  }

  void finish(tl::expected<json, SyntaxError> answer) {
    sent = false;
    const Respond respond = std::move(queue.front().respond);
    queue.pop_front();
    respond(std::move(answer));  // may ask again
  }

  void take(const std::string& line) {
    json answer = json::parse(line, nullptr, false);
    if (!sent || !answer.is_object() || answer.value("id", json()) != queue.front().message.at("id")) {
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
  void lose(const std::string& why) {
    const std::string errors = process->captured_errors();
    process.reset();
    if (!sent) return;
    const auto tail = errors.substr(errors.size() > 300 ? errors.size() - 300 : 0);
    finish(tl::unexpected(SyntaxError{why + (tail.empty() ? "" : ": " + tail)}));
  }

  /// While more is asked than is being answered, the next answers are waited for here: one a turn of the daemon's loop
  /// would be fewer programs than hundreds of workers run.
  void service() {
    exchange();
    for (int answers = 0; answers < kAnswersATurn && queue.size() > 1 && answer_comes(); ++answers) {
      exchange();
    }
  }

  [[nodiscard]] bool answer_comes() const { return process && process->wait(kAnswer); }

  void exchange() {
    send();
    while (process) {
      process->service();
      if (std::optional<std::string> line = process->take_line()) {
        take(*line);
      } else if (process->overflowed()) {
        lose("the syntax process sent a line beyond the cap");
      } else if (process->output_closed()) {
        lose("the syntax process died");
      } else {
        break;
      }
      send();
    }
  }
};

SyntaxClient::SyntaxClient(std::filesystem::path launcher, std::filesystem::path python, std::filesystem::path script,
                           std::filesystem::path scratch)
    : state_(std::make_unique<State>()) {
  state_->launcher = std::move(launcher);
  state_->python = std::move(python);
  state_->script = std::move(script);
  state_->scratch = std::move(scratch);
  std::filesystem::create_directories(state_->scratch);
}

SyntaxClient::~SyntaxClient() = default;

void SyntaxClient::normalise(const std::string& program, bool fix, bool truncated, Done<Normalised> done) {
  state_->ask({{"op", "normalise"}, {"program", program}, {"fix", fix}, {"truncated", truncated}},
              answering<Normalised>(std::move(done), normalised_from));
}

void SyntaxClient::outline(const std::string& program, Done<Outline> done) {
  state_->ask({{"op", "outline"}, {"program", program}}, answering<Outline>(std::move(done), outline_from));
}

namespace {

std::string program_from(const json& answer) { return answer.at("program").get<std::string>(); }

}  // namespace

void SyntaxClient::mutants(const std::string& program, const std::vector<std::string>& others, std::uint64_t seed,
                           int count, Done<std::vector<Mutant>> done) {
  state_->ask({{"op", "mutants_of"}, {"program", program}, {"others", others}, {"seed", seed}, {"count", count}},
              answering<std::vector<Mutant>>(std::move(done), mutants_from));
}

void SyntaxClient::with_options(const std::string& program, const std::string& options_json, StatedOptions stated,
                                Done<std::string> done) {
  json options = json::parse(options_json, nullptr, false);
  if (!options.is_object()) {
    done(tl::unexpected(SyntaxError{"the options are not a JSON object"}));
    return;
  }
  state_->ask({{"op", "with_options"},
               {"program", program},
               {"options", std::move(options)},
               {"stated", stated == StatedOptions::stay}},
              answering<std::string>(std::move(done), program_from));
}

void SyntaxClient::reductions(const std::string& program, const std::string& values, Done<ReductionEdits> done) {
  state_->ask({{"op", "reductions_of"}, {"program", program}, {"values", json::parse(values, nullptr, false)}},
              answering<ReductionEdits>(std::move(done), reductions_from));
}

void SyntaxClient::reduced(const std::string& program, const std::string& values,
                           const std::vector<std::string>& edit_ids, UnreadLocals locals, Done<ReducedText> done) {
  state_->ask({{"op", "reduced"},
               {"program", program},
               {"values", json::parse(values, nullptr, false)},
               {"reductions", edit_ids},
               {"unread_locals", locals == UnreadLocals::stay}},
              answering<ReducedText>(std::move(done), reduced_from));
}

void SyntaxClient::plain(const std::string& program, UnreadLocals locals, Done<ReducedText> done) {
  state_->ask({{"op", "plain"}, {"program", program}, {"unread_locals", locals == UnreadLocals::stay}},
              answering<ReducedText>(std::move(done), reduced_from));
}

void SyntaxClient::variants(const std::string& program, const std::string& operator_name,
                            const std::vector<std::string>& modes, Done<std::vector<ProgramVariant>> done) {
  state_->ask({{"op", "variants_of"}, {"program", program}, {"operator", operator_name}, {"modes", modes}},
              answering<std::vector<ProgramVariant>>(std::move(done), variants_from));
}

void SyntaxClient::append_interests(std::vector<Interest>& interests) const {
  if (state_->process) state_->process->append_interests(interests);
}

void SyntaxClient::service() { state_->service(); }

bool SyntaxClient::idle() const { return state_->queue.empty(); }

void SyntaxClient::wait() {
  while (!idle()) {
    service();
    if (idle()) return;
    if (state_->process) (void)state_->process->wait(std::chrono::seconds(1));
  }
}

}  // namespace parityd::executor
