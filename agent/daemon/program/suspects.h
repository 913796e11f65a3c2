// Suspects on their way to a finding, in two lines. The first is for a round of fresh processes: first whose raw
// signature was confirmed least, of these the oldest. What a round has shown waits in the second line to be reduced,
// those first that a restart left there, then the oldest: a round is short, a reduction is long, and what is confirmed
// can be told. While one of a signature is on its way others of it wait, since they may turn out to be the same
// finding. A suspect is confirmed on what it was seen on, by whichever group of workers has that and room. Pure; one
// thread.
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

/// Another torch, Python or model of the device may show something else.
struct SeenOn {
  std::string torch, python, device, device_name;
  bool operator==(const SeenOn&) const = default;
  bool operator<(const SeenOn& other) const {
    return std::tie(torch, python, device, device_name) <
           std::tie(other.torch, other.python, other.device, other.device_name);
  }
};

/// Where a program was seen to differ; empty where nothing was seen.
[[nodiscard]] SeenOn seen_on(const store::Store& store, store::Id program);

class Suspects {
 public:
  /// `limit`: more than so many never wait.
  explicit Suspects(std::size_t limit = 2000) : limit_(limit) {}

  /// `shown`: by fresh processes, before a restart.
  void add(store::Id program, const std::string& signature, SeenOn seen_on, bool shown) {
    waiting_[program] = {
        .signature = signature, .seen_on = std::move(seen_on), .place = shown ? Place::shown : Place::first};
  }
  /// Set when more wait than may: the newest of the signature that most of them have; it waits no longer.
  [[nodiscard]] std::optional<store::Id> take_excess();
  /// What a group may take: of those seen on what it confirms.
  using Confirms = std::function<bool(const SeenOn&)>;
  /// The group's next for a round, if any may.
  [[nodiscard]] std::optional<store::Id> take(executor::GroupIndex group, const Confirms& confirms);
  /// A round has shown it: it waits to be reduced, by whichever group confirms it.
  void shown(store::Id program) { in_gate_.at(program).place = Place::shown; }
  /// The group's next to be reduced.
  [[nodiscard]] std::optional<store::Id> take_shown(executor::GroupIndex group, const Confirms& confirms);
  /// The program is finished.
  void left(store::Id program);

  /// Where one stands: waits for a round or has it, waits to be reduced, is on from there.
  enum class Place { first, shown, reducing };
  [[nodiscard]] bool is_in_gate(store::Id program) const { return in_gate_.contains(program); }
  [[nodiscard]] bool is_in_gate(store::Id program, Place place) const {
    return is_in_gate(program) && in_gate_.at(program).place == place;
  }
  [[nodiscard]] int pending() const { return static_cast<int>(waiting_.size()); }
  /// Of those that the group took.
  [[nodiscard]] int in_gate(executor::GroupIndex group, Place place) const;

 private:
  struct Suspect {
    std::string signature;
    SeenOn seen_on;
    Place place = Place::first;
    executor::GroupIndex group = 0;  // that took it
  };
  using Entry = std::map<store::Id, Suspect>::iterator;
  store::Id enter(Entry waiting, executor::GroupIndex group, Place place);
  [[nodiscard]] bool is_being_confirmed(const std::string& signature) const;
  [[nodiscard]] int begun(const std::string& signature) const;

  std::size_t limit_;
  std::map<store::Id, Suspect> waiting_;
  std::map<std::string, int> begun_;  // by signature
  std::map<store::Id, Suspect> in_gate_;
};

}  // namespace parityd::agent
