// Back-pressure: how many programs are asked for ahead of the workers, measured in the worker seconds they will take.
// Too few and workers idle while a model thinks; too many and programs are paid for that nothing is left to run. Pure:
// time comes in as seconds. One thread.
#pragma once

#include <optional>

namespace parityd::agent {

class Supply {
 public:
  /// What there is now.
  struct Level {
    int workers = 0;
    int waiting = 0;                          // programs
    int requested = 0;                        // of providers, without an answer yet
    std::optional<double> seconds_left = {};  // until the run ends; none: nobody knows
  };

  /// An examination took a worker so long, whatever it was for.
  void worked(double seconds) { seconds_.add(seconds); }
  /// A program has run for the first time.
  void ran_program() { seconds_.count(); }
  void answered(double latency_seconds);
  /// Whether a reply held a new program.
  void yielded(bool program);

  /// Running means. A program's includes what confirming took, invalid ones and consistent ones alike.
  [[nodiscard]] double seconds_a_program() const { return seconds_.value(); }
  [[nodiscard]] double latency() const { return latency_.value(); }
  [[nodiscard]] double yield() const { return yield_.value(); }

  /// Worker seconds. What waits and what requests are likely to bring is kept above the low one: the workers are busy
  /// until the answer to a request made now is there, and some time longer.
  [[nodiscard]] double low_water(const Level& level) const;
  /// Not passed even if every request brings a program; and no more than can be run before the end.
  [[nodiscard]] double high_water(const Level& level) const;

  /// Another request is to be made.
  [[nodiscard]] bool is_low(const Level& level) const;
  /// Workers will idle before any answer comes: what is here at once is needed.
  [[nodiscard]] bool is_starving(const Level& level) const;

 private:
  /// Of a sum and how much was added up; old ones count less with each new one.
  class RunningMean {
   public:
    RunningMean(double first, double weight, double discount)
        : sum_(first * weight), number_(weight), discount_(discount) {}
    void add(double value) { sum_ += value; }
    void count() {
      sum_ *= discount_;
      number_ = number_ * discount_ + 1;
    }
    [[nodiscard]] double value() const { return sum_ / number_; }

   private:
    double sum_, number_, discount_;
  };
  [[nodiscard]] double idle_mark(const Level& level) const;

  // What is believed before anything was measured: a GPU's programs, a quick model.
  RunningMean seconds_{2, 2, 0.99};
  RunningMean latency_{10, 1, 0.95};
  RunningMean yield_{0.9, 5, 0.98};
  bool measured_latency_ = false;
};

}  // namespace parityd::agent
