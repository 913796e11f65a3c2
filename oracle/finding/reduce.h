// Reduction: the search for a smaller program that still shows a finding (docs/reduction.md). Pure: it proposes
// reductions and takes their results; the caller makes the texts and runs them. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/names.h"
namespace parityd::oracle {

/// How the reductions of a family combine.
enum class ReductionStyle {
  nested,  // at most one; each does more than the next and holds only if the next does: bisected
  choose,  // at most one; the first that holds, in order
  subset,  // any number together: halves, quarters, … single ones
};
constexpr auto names(ReductionStyle) { return std::to_array<std::string_view>({"nested", "choose", "subset"}); }

/// One way to make a text smaller.
struct ReductionOffer {
  std::string id;      // unique for one text
  std::string family;  // families are searched one after another, in the order in which they are offered
  ReductionStyle style = ReductionStyle::choose;
};

class Reduction {
 public:
  explicit Reduction(std::string program) : best_(std::move(program)), taken_{best_} {}

  /// True while the offers of best() are needed: the search waits until they are given.
  [[nodiscard]] bool wants_offers() const { return wants_offers_ && !done_; }
  void offered(const std::vector<ReductionOffer>& offers);

  /// Reductions of best() to be tried together. Several candidates are in flight at once; the first in order that shows
  /// the finding is adopted, and the later ones are dropped.
  struct Candidate {
    int number = 0;
    std::vector<std::string> ids;
  };
  /// The number of candidates whose answers still matter.
  [[nodiscard]] int in_flight() const;
  /// New candidates, so that at most `room` are in flight.
  [[nodiscard]] std::vector<Candidate> next(int room);
  /// Whether the result of this candidate still matters.
  [[nodiscard]] bool waits_for(int number) const { return trials_.contains(number); }
  /// `text`: the program after the candidate's reductions; adopted if it `shows` the finding.
  void told(int number, bool shows, const std::string& text);

  /// No remaining reduction makes it smaller.
  [[nodiscard]] bool done() const { return done_; }
  /// The smallest program so far, valid at any time, also when a deadline ends the search.
  [[nodiscard]] const std::string& best() const { return best_; }

 private:
  struct Trial {
    std::size_t first = 0, count = 0;  // a range of the family's ids
    std::optional<bool> shows;         // nullopt: in flight
    std::string text;
  };
  struct Family {
    std::string name;
    ReductionStyle style = ReductionStyle::choose;
    std::vector<std::string> ids;
  };
  void begin_family();
  void settle();
  void adopt(std::string text);
  void finish_family();
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> next_range();
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> next_probe() const;

  std::string best_;
  std::set<std::string> taken_;  // every text that was ever the best: none comes back
  std::vector<Family> families_;
  std::set<std::string> searched_;  // families, in this pass
  std::optional<std::size_t> family_;
  std::string goes_on_;          // the family that has just made the text smaller: ids before cursor_ have failed
  std::map<int, Trial> trials_;  // of the current family, in order
  std::size_t chunk_ = 0, cursor_ = 0;
  std::size_t low_ = 0, high_ = 0;  // nested: ids before low_ do not hold, those from high_ on do
  std::string high_text_;
  int next_number_ = 1;
  int passes_ = 1;
  bool changed_ = false;
  bool wants_offers_ = true;
  bool done_ = false;
};

}  // namespace parityd::oracle
