#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "agent/daemon/life/steps.h"
#include "agent/daemon/program/sweeper.h"

namespace parityd::agent {
namespace {

store::ExtentRow row_of(store::Id program, const Sweeper& sweeper, store::Millis now) {
  nlohmann::json tried = nlohmann::json::array();
  for (const auto& variant : sweeper.tried()) {
    tried.push_back({{"aspect", oracle::name(variant.aspect)},
                     {"value", variant.value},
                     {"unit", variant.unit},
                     {"shows", variant.shows ? nlohmann::json(*variant.shows) : nlohmann::json(nullptr)}});
  }
  return {.program = program,
          .sentence = oracle::extent(sweeper.tried()),
          .tried_json = tried.dump(),
          .runs = sweeper.runs(),
          .seconds = sweeper.seconds(),
          .at = now};
}

class FindExtent : public Step {
 public:
  explicit FindExtent(Workshop& shop) : Step(shop, Examination::candidate) {}

  std::optional<Event> begin(ProgramTask& task) override {
    auto& turn = shop_.turn;
    const store::Id id = task.row.id;
    const auto confirmed = shop_.recorder.confirmed(id);
    if (confirmed.verdict.kind == oracle::Kind::hang) {  // every variant would take its deadline
      turn.store.reductions.set_extent({.program = id, .at = turn.wall});
      return further(shop_, task);
    }
    const auto subject = confirmed_subject(task, shop_.recorder.told(task.row));
    const std::string device = turn.device_of(subject.group);
    sweeper_ = std::make_shared<Sweeper>(shop_.examiner, shop_.syntax, subject, confirmed);
    turn.send([sweeper = sweeper_, device, elsewhere = elsewhere(device),
               neutraliser = turn.store.reductions.attribution(id).value_or(store::AttributionRow{}).neutraliser] {
      sweeper->begin(device, elsewhere, neutraliser);
    });
    return std::nullopt;
  }

  std::optional<Event> on_result(ProgramTask& /*task*/, const Examined& examined) override {
    sweeper_->on_result(examined);
    return std::nullopt;
  }

  std::optional<Event> poll(ProgramTask& task) override {
    if (!sweeper_->done()) return std::nullopt;
    shop_.turn.store.reductions.set_extent(row_of(task.row.id, *sweeper_, shop_.turn.wall));
    shop_.turn.reach(KillPoint::swept);
    return further(shop_, task);
  }

  void send_trials(TrialRoom& room) override { sweeper_->send_trials(room, shop_.turn.now); }

 private:
  /// One group of each other kind of device.
  [[nodiscard]] std::vector<Sweeper::Elsewhere> elsewhere(const std::string& own) const {
    std::vector<Sweeper::Elsewhere> others;
    std::set<std::string> devices{own};
    for (executor::GroupIndex group = 0; group < shop_.turn.pool.groups(); ++group) {
      const std::string device = shop_.turn.device_of(group);
      if (devices.insert(device).second) others.push_back({.group = group, .device = device});
    }
    return others;
  }

  std::shared_ptr<Sweeper> sweeper_;
};

}  // namespace

std::unique_ptr<Step> find_extent(Workshop& shop) { return std::make_unique<FindExtent>(shop); }

}  // namespace parityd::agent
