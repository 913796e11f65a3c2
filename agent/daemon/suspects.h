// Suspects that wait for the gate: those whose raw signature was confirmed least come first, of these the oldest. While
// one of a signature is being confirmed others of it wait, since they may turn out to be the same finding. A suspect is
// confirmed by the group of workers that saw it. Pure; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "executor/workers.h"
#include "store/store.h"

namespace parityd::agent {

class Suspects {
 public:
  /// `limit`: more than so many never wait.
  explicit Suspects(std::size_t limit = 2000) : limit_(limit) {}

  void add(store::Id program, const std::string& signature, executor::GroupIndex group) {
    waiting_[program] = {signature, group};
  }
  /// Set when more wait than may: the newest of the signature that most of them have; it waits no longer.
  [[nodiscard]] std::optional<store::Id> take_excess();
  /// The group's next to be confirmed, if any may; it counts as in the gate until it has left.
  [[nodiscard]] std::optional<store::Id> take(executor::GroupIndex group);
  /// The program is finished.
  void left(store::Id program);

  [[nodiscard]] bool is_in_gate(store::Id program) const { return in_gate_.contains(program); }
  [[nodiscard]] int pending() const { return static_cast<int>(waiting_.size()); }
  [[nodiscard]] int in_gate(executor::GroupIndex group) const;

 private:
  struct Suspect {
    std::string signature;
    executor::GroupIndex group = 0;
  };
  std::size_t limit_;
  std::map<store::Id, Suspect> waiting_;
  std::map<std::string, int> begun_;  // by signature
  std::map<store::Id, Suspect> in_gate_;
};

}  // namespace parityd::agent
