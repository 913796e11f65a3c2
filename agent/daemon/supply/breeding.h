// Breeding: a small stock of programs that run, made without a model (docs/mutation.md): mutants of programs that were
// consistent, and programs composed from torch's operators. Fresh processes of the pool screen them before they count.
// One thread (the loop's); called inside the loop's transaction, work is begun after it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agent/daemon/program/examiner.h"
#include "agent/daemon/supply/intake.h"
#include "executor/syntax/syntax.h"
#include "store/store.h"

namespace parityd::agent {

class Breeding {
 public:
  /// Who breeds next; nothing while the store has nobody. `draw`: a random number.
  using ChooseParent = std::function<std::optional<store::ProgramRow>(std::uint64_t draw)>;

  /// `share`: of the first programs where a provider answers, too; 0: nothing is bred.
  Breeding(store::Store& store, Examiner& examiner, executor::Syntax& syntax, ChooseParent choose_parent,
           std::uint64_t seed, double share);
  Breeding(const Breeding&) = delete;
  Breeding& operator=(const Breeding&) = delete;

  void set_share(double share) { share_ = share; }
  /// Begins another batch where the stock runs low and none is on its way.
  void service(executor::TimePoint now);
  /// What the examiner was told since.
  void take_sifted();
  /// Whether the next first program should be one of the stock although a provider could be asked.
  [[nodiscard]] bool its_turn();
  /// A program of the stock; nothing while it is empty.
  [[nodiscard]] std::optional<Arrival> take();
  [[nodiscard]] std::size_t stock() const { return stock_.size(); }
  /// Why the last batch failed; empty: it did not.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Batch {
    std::int64_t number = 0;  // counts up over the daemon's life
    std::vector<Arrival> mutants;
    int parents_left = 0;  // whose mutants are not made yet
  };

  void begin(executor::TimePoint now);
  /// `along`: as executor::MutantWishes::along.
  void breed(const store::ProgramRow& parent, const std::vector<std::string>& others, const std::string& along,
             std::uint64_t seed);

  store::Store& store_;
  Examiner& examiner_;
  executor::Syntax& syntax_;
  ChooseParent choose_parent_;
  std::uint64_t seed_;
  double share_;
  std::deque<Arrival> stock_;
  std::optional<Batch> batch_;
  bool sifting_ = false;
  executor::TimePoint not_before_{};
  double turn_ = 0;
  std::string problem_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // the syntax process may answer after we are gone
};

/// One of the newest consistent programs of any origin, mostly one that made the compiler do something new. The store
/// outlives it.
[[nodiscard]] Breeding::ChooseParent recent_parents(const store::Store& store);

}  // namespace parityd::agent
