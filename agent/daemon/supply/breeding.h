// Breeding: keeps a small stock of runnable programs made without a model (docs/mutation.md): mutants of consistent
// programs, and programs composed from torch's operators. Fresh processes of the pool prescreen them before they are
// added. One thread (the loop's); called inside the loop's transaction, work starts after it.
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
  /// Chooses the next parent; nullopt while the store has none. `draw`: a random number.
  using ChooseParent = std::function<std::optional<store::ProgramRow>(std::uint64_t draw)>;

  /// `share`: share of new programs taken from the stock even if a provider answers; 0: nothing is bred.
  Breeding(store::Store& store, Examiner& examiner, executor::Syntax& syntax, ChooseParent choose_parent,
           std::uint64_t seed, double share);
  Breeding(const Breeding&) = delete;
  Breeding& operator=(const Breeding&) = delete;

  void set_share(double share) { share_ = share; }
  /// Starts another batch if the stock is low and no batch is in progress.
  void refill(executor::TimePoint now);
  /// Takes prescreening results from the examiner.
  void take_sifted();
  /// Whether the next new program should come from the stock although a provider could be asked.
  [[nodiscard]] bool its_turn();
  /// Removes and returns a program of the stock; nullopt if it is empty.
  [[nodiscard]] std::optional<Arrival> pop();
  [[nodiscard]] std::size_t stock() const { return stock_.size(); }
  /// Why the last batch failed; empty: it succeeded.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  struct Batch {
    std::int64_t number = 0;  // counts up over the daemon's life
    std::vector<Arrival> mutants;
    int parents_left = 0;  // parents whose mutants are still being made
  };

  void begin(executor::TimePoint now);
  /// `along`: see executor::MutantWishes::along.
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
  /// The syntax process may answer after this object is destroyed.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// Chooses one of the newest consistent programs of any origin, preferring those that made the compiler do something
/// new. The store outlives the function.
[[nodiscard]] Breeding::ChooseParent recent_parents(const store::Store& store);

}  // namespace parityd::agent
