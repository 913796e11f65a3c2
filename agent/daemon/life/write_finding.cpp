#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

/// How long a draft waits for the environment's text, which an idle worker reports.
constexpr std::chrono::seconds kEnvironmentPatience{60};

class WriteFinding : public Step {
 public:
  WriteFinding(Workshop& shop, Move decided)
      : Step(shop, std::nullopt), decided_(std::move(decided)), since_(shop.turn.now) {}

  std::optional<Event> begin(ProgramTask& /*task*/) override { return std::nullopt; }

  std::optional<Event> poll(ProgramTask& task) override {
    const bool environment_known = shop_.recorder.update_environment(shop_.turn.pool, task.group.value_or(0));
    if (!environment_known && shop_.turn.now - since_ <= kEnvironmentPatience) return std::nullopt;
    const auto recorded = shop_.recorder.add_finding(task.row, decided_, shop_.turn.wall);
    shop_.turn.reach(KillPoint::drafted);
    shop_.turn.session.occurrences += 1;
    if (recorded.is_new) tell(task.row.id, recorded.finding);
    return FindingWritten{.decided = decided_};
  }

 private:
  void tell(store::Id program, store::Id id) {
    auto& turn = shop_.turn;
    turn.findings_changed();
    turn.session.findings += 1;
    const auto known = turn.store.known.matches(id);
    const bool is_known = std::ranges::any_of(known, [](const auto& match) { return match.confident; });
    const auto finding = turn.store.findings.find(id);
    shop_.earnings.found(program, is_known || finding->status == store::FindingStatus::known);
    turn.progress.line(fmt::format("finding {}: {} at {}, {}: {}", id, name(finding->kind), name(finding->stage),
                                   finding->disposition.text(), finding->title));
    turn.note("finding", finding->title);
    turn.store.alarms.note_outgoing("drafts", "", turn.wall);
  }

  Move decided_;
  executor::TimePoint since_;
};

}  // namespace

std::unique_ptr<Step> write_finding(Workshop& shop, const Move& decided) {
  return std::make_unique<WriteFinding>(shop, decided);
}

}  // namespace parityd::agent
