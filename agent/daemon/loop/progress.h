// What a person watching `parityd run` sees: one line that moves on a terminal, a line now and then elsewhere, findings
// as they come, a summary at the end. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

#include "executor/pool/pool.h"
#include "store/store.h"

namespace parityd::agent {

/// Programs that a step is at work on, by what is known of them: nothing yet, suspects, confirmed ones.
struct InHand {
  int screening = 0, confirming = 0, reducing = 0;
};

class Progress {
 public:
  /// `terminal`: the stream can redraw its last line.
  /// `every`: so often a line comes where it cannot.
  Progress(std::ostream& out, bool terminal, executor::TimePoint start,
           std::chrono::seconds every = std::chrono::seconds(10));

  /// How many columns the terminal has, asked at each redrawing: a line that is too long could not be taken back.
  void fit_to(std::function<std::size_t()> columns) { columns_ = std::move(columns); }

  /// A line of its own, above the moving one.
  void line(const std::string& text);
  /// Redraws when it is time to.
  void update(const store::Counts& counts, const executor::PoolCounts& pool, const InHand& in_hand,
              int replies_in_flight, executor::TimePoint now);
  void summary(const store::Counts& counts, executor::TimePoint now);
  /// Whoever read the stream is gone, as far as what was written so far can tell.
  [[nodiscard]] bool reader_gone() const { return out_.rdbuf() != nullptr && out_.bad(); }

 private:
  void clear_line();
  std::ostream& out_;
  bool terminal_;
  std::chrono::milliseconds every_;
  bool drawn_ = false;
  std::function<std::size_t()> columns_;
  executor::TimePoint start_;
  executor::TimePoint next_;
};

}  // namespace parityd::agent
