// Terminal output of `parityd run`: one status line that is redrawn on a terminal or repeated periodically elsewhere,
// findings as they appear, a summary at the end. One thread.
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

/// Programs being worked on, by what is known of them: nothing yet, suspects, confirmed.
struct InHand {
  int screening = 0, confirming = 0, reducing = 0;
};

class Progress {
 public:
  /// `terminal`: the stream can redraw its last line. `every`: interval between status lines if it cannot.
  Progress(std::ostream& out, bool terminal, executor::TimePoint start,
           std::chrono::seconds every = std::chrono::seconds(10));

  /// Sets how to get the terminal's width, queried at each redraw: a line that wraps could not be redrawn.
  void fit_to(std::function<std::size_t()> columns) { columns_ = std::move(columns); }

  /// Prints a separate line above the status line.
  void line(const std::string& text);
  /// Redraws if it is due.
  void update(const store::Counts& counts, const executor::PoolCounts& pool, const InHand& in_hand,
              int replies_in_flight, executor::TimePoint now);
  void summary(const store::Counts& counts, executor::TimePoint now);
  /// Whether the stream's reader is gone, judged by what was written so far.
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
