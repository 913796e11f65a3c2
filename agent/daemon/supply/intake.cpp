#include "agent/daemon/supply/intake.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <random>

#include "oracle/json_read.h"
#include "oracle/mode.h"

namespace parityd::agent {
namespace {

constexpr int kParsedAtOnce = 64;  // each needs two requests, and the loop makes ten turns a second

/// The OPTIONS that each `[modes]` key sets. `dynamic` needs a second call: its bugs appear with the second size.
const std::map<std::string, std::string>& options_of_mode() {
  static const auto table = [] {
    std::map<std::string, std::string> options = {
        {"inductor", "{}"},
        {"backward", R"({"backward": true})"},
        {"dynamic", R"({"dynamic": true, "calls": 2})"},
        {"fullgraph", R"({"fullgraph": true})"},
    };
    for (const auto& row : oracle::mode_rows()) {
      if (row.key.empty()) continue;
      auto asked = oracle::parsed_object(row.options);
      asked["mode"] = row.name;
      options.emplace(row.key, asked.dump());
    }
    return options;
  }();
  return table;
}

constexpr const char* kThreads = "threads";
constexpr const char* kOwnRandom = "own_random";
constexpr std::uint64_t kOwnRandomStream = 0xD1B54A32D192ED03;  // makes it independent of threads

/// The same for the same program, so a program that returns is recognised.
std::uint64_t number_of(const std::string& identity) {
  std::uint64_t number = 0;
  std::from_chars(identity.data(), identity.data() + std::min<std::size_t>(identity.size(), 16), number, 16);
  return number;
}

/// `options` plus those drawn for the program, as JSON; options that it sets itself are kept.
std::string with_drawn(const std::string& options, const DrawnOptions& drawn, const executor::Normalised& program) {
  auto json = oracle::parsed(options);
  if (!json.is_object()) return options;
  const std::uint64_t seed = number_of(program.identity);
  const int threads = draw_threads(drawn.threads_share, seed);
  if (threads > 1 && !json.contains(kThreads)) json[kThreads] = threads;
  const bool own_random = program.draws && draw_own_random(drawn.own_random_share, seed);
  if (own_random && !json.contains(kOwnRandom)) json[kOwnRandom] = true;
  return json.dump();
}

}  // namespace

std::string draw_options(const std::map<std::string, double>& weights, std::uint64_t seed) {
  std::vector<double> numbers;
  std::vector<std::string> options;
  for (const auto& [mode, text] : options_of_mode()) {
    const auto found = weights.find(mode);
    numbers.push_back(found == weights.end() ? 0.0 : found->second);
    options.push_back(text);
  }
  std::mt19937_64 random(seed);
  return options[std::discrete_distribution<std::size_t>(numbers.begin(), numbers.end())(random)];
}

DrawnOptions drawn_options(const Config& config) {
  return {
      .mode_weights = config.modes, .threads_share = config.threads_share, .own_random_share = config.own_random_share};
}

int draw_threads(double share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  if (!std::bernoulli_distribution(share)(random)) return 1;
  return std::bernoulli_distribution(0.5)(random) ? 2 : 8;
}

bool draw_own_random(double share, std::uint64_t seed) {
  std::mt19937_64 random(seed ^ kOwnRandomStream);
  return std::bernoulli_distribution(share)(random);
}

Intake::Intake(executor::Syntax& syntax, DrawnOptions drawn) : syntax_(syntax), drawn_(std::move(drawn)) {}

void Intake::accept(Arrival arrival) { (arrival.request ? imports_ : others_).push_back(std::move(arrival)); }

void Intake::send_to_parser() {
  while (parsed_ < kParsedAtOnce && !(imports_.empty() && others_.empty())) {
    auto& waiting = imports_.empty() ? others_ : imports_;
    Arrival next = std::move(waiting.front());
    waiting.pop_front();
    parse(std::move(next));
  }
}

void Intake::parse(Arrival arrival) {
  ++parsed_;
  const std::string text = arrival.text;
  const bool truncated = arrival.truncated;
  syntax_.normalise(text, true, truncated, [this, arrival = std::move(arrival)](auto program) mutable {
    if (!program || (arrival.request && !program->problem.empty())) {
      done(std::move(arrival), std::move(program));
    } else {
      with_options(std::move(arrival), *program);
    }
  });
}

void Intake::with_options(Arrival arrival, const executor::Normalised& program) {
  std::string options = "{}";
  if (arrival.options_known) {
    options = arrival.default_options;
  } else if (program.options_text.empty() || program.options_text == "{}") {
    const bool chosen = arrival.default_options != "{}" && !arrival.default_options.empty();
    options = chosen ? arrival.default_options : draw_options(drawn_.mode_weights, arrival.seed);
  }
  if (!arrival.options_known) options = with_drawn(options, drawn_, program);
  if (options == "{}") {
    done(std::move(arrival), program);
    return;
  }
  syntax_.with_options(
      program.text, options, executor::StatedOptions::stay,
      [this, arrival = std::move(arrival)](auto with) mutable { done(std::move(arrival), std::move(with)); });
}

void Intake::done(Arrival arrival, tl::expected<executor::Normalised, executor::SyntaxError> program) {
  Taken taken{.arrival = std::move(arrival)};
  if (program) {
    taken.program = std::move(*program);
    // A model's program runs all the same: the model is sent what it raises.
    if (taken.arrival.request) taken.syntax_error = taken.program.problem;
  } else {
    taken.syntax_error = program.error().message;
  }
  if (taken.syntax_error.empty() && !taken.arrival.repaired_from.empty()) {
    compare(std::move(taken));
  } else {
    finish(std::move(taken));
  }
}

/// Determines the operators of the invalid program and of its repair.
void Intake::compare(Taken taken) {
  const std::string before = taken.arrival.repaired_from;
  syntax_.outline(before, [this, taken = std::move(taken)](auto outline) mutable {
    taken.operators.before = outline ? outline->operators : std::vector<std::string>{};
    const std::string after = taken.program.text;
    syntax_.outline(after, [this, taken = std::move(taken)](auto repaired) mutable {
      taken.operators.after = repaired ? repaired->operators : std::vector<std::string>{};
      finish(std::move(taken));
    });
  });
}

void Intake::finish(Taken taken) {
  --parsed_;
  finished_.push_back(std::move(taken));
}

std::vector<Taken> Intake::finished() { return std::exchange(finished_, {}); }

}  // namespace parityd::agent
