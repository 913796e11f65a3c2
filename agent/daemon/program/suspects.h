// Suspects that wait for the gate: those a restart left half-way come first, then those whose raw signature was
// confirmed least, of these the oldest. While one of a signature is being confirmed others of it wait, since they may
// turn out to be the same finding. A suspect is confirmed on what it was seen on, by whichever group of workers has
// that and room. Pure; one thread.
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

  struct Taken {
    store::Id program = 0;
    bool begun = false;
  };

  /// `begun`: before a restart.
  void add(store::Id program, const std::string& signature, SeenOn seen_on, bool begun) {
    waiting_[program] = {.signature = signature, .seen_on = std::move(seen_on), .begun = begun, .group = 0};
  }
  /// Set when more wait than may: the newest of the signature that most of them have; it waits no longer.
  [[nodiscard]] std::optional<store::Id> take_excess();
  /// The group's next to be confirmed, if any may: of those seen on what it `confirms`. Counts as in the gate until it
  /// has left.
  [[nodiscard]] std::optional<Taken> take(executor::GroupIndex group,
                                          const std::function<bool(const SeenOn&)>& confirms);
  /// The program is finished.
  void left(store::Id program);

  [[nodiscard]] bool is_in_gate(store::Id program) const { return in_gate_.contains(program); }
  [[nodiscard]] int pending() const { return static_cast<int>(waiting_.size()); }
  [[nodiscard]] int in_gate(executor::GroupIndex group) const;

 private:
  struct Suspect {
    std::string signature;
    SeenOn seen_on;
    bool begun = false;
    executor::GroupIndex group = 0;  // that took it
  };
  [[nodiscard]] bool is_being_confirmed(const std::string& signature) const;
  [[nodiscard]] int begun(const std::string& signature) const;

  std::size_t limit_;
  std::map<store::Id, Suspect> waiting_;
  std::map<std::string, int> begun_;  // by signature
  std::map<store::Id, Suspect> in_gate_;
};

}  // namespace parityd::agent
