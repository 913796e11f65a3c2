// Intake: a program's text becomes a row: parsed, freely fixed, given its options and its identity. One thread (the
// loop's).
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
  std::string default_options = "{}";  // the strategy's; used where the program's OPTIONS say nothing
  bool options_known = false;          // it ran before: with `default_options`, be they none, and no others are drawn
  std::optional<store::Id> reply;
  int hypothesis = 0;                // its place in that reply; 0: it has none
  std::optional<store::Id> request;  // that asked for it; open until the program is a row
  std::string provider;              // of the reply
  std::optional<store::Id> parent;
  store::Id root = 0;
  int round = 0;
  bool truncated = false;
  std::string repaired_from;  // the invalid program's text; empty: no repair
  std::uint64_t seed = 0;     // draws from the [modes] weights what nobody chose
};

struct Taken {
  Arrival arrival;
  executor::Normalised program;
  std::string syntax_error;  // set: there is no program
  OperatorSets operators;    // of a repair
};

/// What is drawn for programs that do not say it themselves.
struct DrawnOptions {
  std::map<std::string, double> mode_weights;  // [modes]
  double threads_share = 0;                    // of programs, to run with several threads
  double own_random_share = 0;                 // of programs that draw, to draw the compiler's own numbers
};
[[nodiscard]] DrawnOptions drawn_options(const Config& config);

/// Has few arrivals parsed at the same time, what a person asked for before all others: a start finds thousands of
/// replies that a killed daemon left, and mutants and reductions are made by the same syntax process.
class Intake {
 public:
  Intake(executor::Syntax& syntax, DrawnOptions drawn);
  void set_drawn(DrawnOptions drawn) { drawn_ = std::move(drawn); }
  void take(Arrival arrival);
  /// Has the next arrivals parsed. Call at the end of every turn, when all that came in it is here.
  void service();
  /// Since last asked.
  [[nodiscard]] std::vector<Taken> finished();
  /// Taken and not finished yet, whether being parsed or waiting for it.
  [[nodiscard]] int in_flight() const { return parsed_ + static_cast<int>(imports_.size() + others_.size()); }

 private:
  void parse(Arrival arrival);
  void with_options(Arrival arrival, const executor::Normalised& program);
  void done(Arrival arrival, tl::expected<executor::Normalised, executor::SyntaxError> program);
  void compare(Taken taken);
  void finish(Taken taken);

  executor::Syntax& syntax_;
  DrawnOptions drawn_;
  std::deque<Arrival> imports_;  // waiting
  std::deque<Arrival> others_;
  std::vector<Taken> finished_;
  int parsed_ = 0;  // now
};

/// OPTIONS drawn from `[modes]` weights, as JSON.
[[nodiscard]] std::string draw_options(const std::map<std::string, double>& weights, std::uint64_t seed);

/// Whether it is one of so large a share of seeds (a program's identity), which compile to draw their own numbers.
[[nodiscard]] bool draw_own_random(double share, std::uint64_t seed);

/// For so large a share of seeds (a program's identity) 2 or 8, which Inductor writes other code for; else 1.
[[nodiscard]] int draw_threads(double share, std::uint64_t seed);

}  // namespace parityd::agent
