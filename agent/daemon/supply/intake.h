// Intake: turns a program's text into a row: parses it, applies free fixes, sets its options and identity. One
// thread (the loop's).
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/config.h"
#include "agent/daemon/program/operators_kept.h"
#include "executor/syntax/syntax.h"
#include "store/store.h"

namespace parityd::agent {

struct Arrival {
  std::string text;
  store::Origin origin = store::Origin::reply;
  std::string source;
  std::string strategy;
  std::string default_options = "{}";  // the strategy's; used if the program's OPTIONS set none
  bool options_known = false;          // it ran before, with `default_options` even if empty: no others are drawn
  std::optional<store::Id> reply;
  int hypothesis = 0;                // its position in that reply; 0: none
  std::optional<store::Id> request;  // the request for it, open until the program has a row
  std::string provider;              // provider of the reply
  std::optional<store::Id> parent;
  store::Id root = 0;
  int round = 0;
  bool truncated = false;
  std::string repaired_from;  // text of the invalid program; empty: not a repair
  std::uint64_t seed = 0;     // seed for drawing options that nobody set from the [modes] weights
};

struct Taken {
  Arrival arrival;
  executor::Normalised program;
  std::string syntax_error;  // if set, there is no program
  OperatorSets operators;    // set for a repair
};

/// Options to draw for programs that do not set them.
struct DrawnOptions {
  std::map<std::string, double> mode_weights;  // [modes]
  double threads_share = 0;                    // share of programs to run with several threads
  double own_random_share = 0;  // share of programs that draw random numbers to use the compiler's generator
};
[[nodiscard]] DrawnOptions drawn_options(const Config& config);

/// Limits how many arrivals are parsed at once and parses those requested by a person first: at startup there may be
/// thousands of replies left by a killed daemon, and the same syntax process also makes mutants and reductions.
class Intake {
 public:
  Intake(executor::Syntax& syntax, DrawnOptions drawn);
  void set_drawn(DrawnOptions drawn) { drawn_ = std::move(drawn); }
  void accept(Arrival arrival);
  /// Sends the next arrivals to be parsed. Call at the end of every turn, when all of its arrivals are here.
  void send_to_parser();
  /// Arrivals finished since the last call.
  [[nodiscard]] std::vector<Taken> finished();
  /// Arrivals not finished yet, being parsed or waiting.
  [[nodiscard]] int in_flight() const { return parsed_ + static_cast<int>(imports_.size() + others_.size()); }

 private:
  void parse(Arrival arrival);
  void with_options(Arrival arrival, const executor::Normalised& program);
  void done(Arrival arrival, tl::expected<executor::Normalised, executor::SyntaxError> program);
  void compare(Taken taken);
  void finish(Taken taken);

  executor::Syntax& syntax_;
  DrawnOptions drawn_;
  std::deque<Arrival> imports_;  // waiting to be parsed
  std::deque<Arrival> others_;
  std::vector<Taken> finished_;
  int parsed_ = 0;  // being parsed now
};

/// Draws OPTIONS from the `[modes]` weights, as JSON.
[[nodiscard]] std::string draw_options(const std::map<std::string, double>& weights, std::uint64_t seed);

/// Whether a program (`seed`: its identity) is in this share of programs, which compile to draw the compiler's own
/// random numbers.
[[nodiscard]] bool draw_own_random(double share, std::uint64_t seed);

/// 2 or 8 for this share of programs (`seed`: their identity), for which Inductor generates different code; else 1.
[[nodiscard]] int draw_threads(double share, std::uint64_t seed);

}  // namespace parityd::agent
