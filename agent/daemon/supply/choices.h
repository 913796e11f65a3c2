// What parityd learns to choose (docs/scheduler.md): which strategy is asked, whether a program is repaired or dropped,
// which programs become parents of mutants. Each choice has arms of its own. Pure: randomness comes in as seeds. One
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/daemon/supply/scheduler.h"
#include "store/work/programs.h"

namespace parityd::agent {

/// Consistent programs of one origin that did, or did not, make the compiler do something new.
struct ParentKind {
  store::Origin origin = store::Origin::reply;
  bool reached_new = false;
  friend bool operator==(const ParentKind&, const ParentKind&) = default;
};
[[nodiscard]] const std::vector<ParentKind>& parent_kinds();

[[nodiscard]] std::string arm_of_strategy(const std::string& strategy);
[[nodiscard]] std::string arm_of_repair(const std::string& error_class);
[[nodiscard]] std::string arm_of_parent(const ParentKind& kind);
/// What repairs compete with: the dollar buys a new program instead.
inline constexpr const char* kNewProgram = "program/new";

class Choices {
 public:
  /// So many repairs of a class of errors are asked for before anything is dropped.
  static constexpr std::int64_t kFirstRepairs = 10;

  explicit Choices(const std::vector<Arm>& earned = {});

  /// Of prompts for new programs.
  [[nodiscard]] Scheduler& strategies() { return strategies_; }
  [[nodiscard]] const Scheduler& strategies() const { return strategies_; }
  [[nodiscard]] const Scheduler& repairs() const { return repairs_; }
  [[nodiscard]] const Scheduler& parents() const { return parents_; }

  /// Whether a repair of such an error is likely to bring more a dollar than a new program.
  [[nodiscard]] bool worth_repairing(const std::string& error_class, std::uint64_t seed) const;
  /// It has been asked for: until repaired() tells, it counts as one that brought nothing.
  void repair_asked(const std::string& error_class);
  /// One of these; throws std::invalid_argument without any.
  [[nodiscard]] ParentKind parent(const std::vector<ParentKind>& kinds, std::uint64_t seed) const;

  /// What came of a prompt for a new program. Returns the arms that have changed, to be kept; so do the others.
  std::vector<Arm> generated(const std::string& strategy, double points, double dollars);
  /// Of a repair: its strategy's arm (if it has one) and the new program's earn it, too, for they had it to be
  /// repaired. Not `kept`: the repair lost what was to be tested, so that its points are not the repair's.
  std::vector<Arm> repaired(const std::string& strategy, const std::string& error_class, double points, double dollars,
                            bool kept = true);
  /// Of a mutant of such a parent.
  std::vector<Arm> bred(const ParentKind& parent, double points, double dollars);

 private:
  Scheduler strategies_, repairs_, parents_;
};

}  // namespace parityd::agent
