// Back-pressure: how many programs to request ahead of the workers, measured in the worker seconds they will take. With
// too few, workers idle while a model thinks; with too many, programs are paid for and never run. Pure: time is passed
// in as seconds. One thread.
#pragma once

#include <optional>

namespace parityd::agent {

class Supply {
 public:
  /// The present situation.
  struct Level {
    int workers = 0;
    int waiting = 0;                          // waiting programs
    int requested = 0;                        // requests to providers not answered yet
    std::optional<double> seconds_left = {};  // until the run ends; nullopt: unknown
  };

  /// An examination of any purpose took this much worker time.
  void worked(double seconds) { seconds_.add(seconds); }
  /// A program ran for the first time.
  void ran_program() { seconds_.count(); }
  void answered(double latency_seconds);
  /// Whether a reply contained a new program.
  void yielded(bool program);

  /// Running means. The time per program includes confirmation, and counts invalid and consistent programs alike.
  [[nodiscard]] double seconds_a_program() const { return seconds_.value(); }
  [[nodiscard]] double latency() const { return latency_.value(); }
  [[nodiscard]] double yield() const { return yield_.value(); }

  /// In worker seconds. Waiting programs plus the expected yield of requests are kept above the low-water mark, so that
  /// workers stay busy until a request made now is answered, and some time longer.
  [[nodiscard]] double low_water(const Level& level) const;
  /// Not exceeded even if every request yields a program; never more than can be run before the end.
  [[nodiscard]] double high_water(const Level& level) const;

  /// Whether to make another request.
  [[nodiscard]] bool is_low(const Level& level) const;
  /// Whether workers will idle before any answer comes, so that programs available at once are needed.
  [[nodiscard]] bool is_starving(const Level& level) const;

 private:
  /// Mean of added values per count; older ones weigh less with each new count.
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

  // Assumptions before anything was measured: programs on a GPU, a fast model.
  RunningMean seconds_{2, 2, 0.99};
  RunningMean latency_{10, 1, 0.95};
  RunningMean yield_{0.9, 5, 0.98};
  bool measured_latency_ = false;
};

}  // namespace parityd::agent
