// Suspects on their way to a finding, in two lines. The first line waits for a round of fresh processes: suspects whose
// raw signature was confirmed least often come first, of these the oldest. Programs confirmed by a round wait in the
// second line to be reduced: first those left by a restart, then the oldest. Rounds are short and reductions long, and
// a confirmed program can already be reported. While one suspect of a signature is being confirmed, others with it
// wait, since they may turn out to be the same finding. A suspect is confirmed in the environment it was seen in, by
// any group of workers that has it and room. Pure; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "executor/pool/workers.h"
#include "store/store.h"

namespace parityd::agent {

/// The environment of a suspect: another torch, Python or device model may behave differently.
struct SeenOn {
  std::string torch, python, device, device_name;
  bool operator==(const SeenOn&) const = default;
  bool operator<(const SeenOn& other) const {
    return std::tie(torch, python, device, device_name) <
           std::tie(other.torch, other.python, other.device, other.device_name);
  }
};

/// Where a program was seen to differ; empty if it was not.
[[nodiscard]] SeenOn seen_on(const store::Store& store, store::Id program);

class Suspects {
 public:
  /// `limit`: maximum number of waiting suspects.
  explicit Suspects(std::size_t limit = 2000) : limit_(limit) {}

  /// `shown`: fresh processes confirmed it before a restart.
  void add(store::Id program, const std::string& signature, SeenOn seen_on, bool shown) {
    waiting_[program] = {
        .signature = signature, .seen_on = std::move(seen_on), .place = shown ? Place::shown : Place::first};
  }
  /// If too many wait: removes and returns the newest of the signature with most suspects; else nullopt.
  [[nodiscard]] std::optional<store::Id> take_excess();
  /// Whether a group confirms suspects of this environment.
  using Confirms = std::function<bool(const SeenOn&)>;
  /// The group's next suspect for a round; nullopt: none may start.
  [[nodiscard]] std::optional<store::Id> pop(executor::GroupIndex group, const Confirms& confirms);
  /// A round has confirmed it: it now waits to be reduced, by any group that confirms it.
  void shown(store::Id program) { confirming_.at(program).place = Place::shown; }
  /// The group's next program to reduce; nullopt: none.
  [[nodiscard]] std::optional<store::Id> take_shown(executor::GroupIndex group, const Confirms& confirms);
  /// The program is finished.
  void left(store::Id program);

  /// Position of a suspect: waits for a round or has one; waits to be reduced; is being reduced or further on.
  enum class Place { first, shown, reducing };
  [[nodiscard]] bool is_confirming(store::Id program) const { return confirming_.contains(program); }
  [[nodiscard]] bool is_confirming(store::Id program, Place place) const {
    return is_confirming(program) && confirming_.at(program).place == place;
  }
  [[nodiscard]] int pending() const { return static_cast<int>(waiting_.size()); }
  /// Number of the group's suspects at that place.
  [[nodiscard]] int confirming(executor::GroupIndex group, Place place) const;

 private:
  struct Suspect {
    std::string signature;
    SeenOn seen_on;
    Place place = Place::first;
    executor::GroupIndex group = 0;  // the group that took it
  };
  using Entry = std::map<store::Id, Suspect>::iterator;
  store::Id enter(Entry waiting, executor::GroupIndex group, Place place);
  [[nodiscard]] bool is_being_confirmed(const std::string& signature) const;
  [[nodiscard]] int begun(const std::string& signature) const;

  std::size_t limit_;
  std::map<store::Id, Suspect> waiting_;
  std::map<std::string, int> begun_;  // by signature
  std::map<store::Id, Suspect> confirming_;
};

}  // namespace parityd::agent
