#include <set>
#include <string>
#include <utility>

#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class Reduce : public Step {
 public:
  explicit Reduce(Workshop& shop) : Step(shop, Examination::candidate) {}

  std::optional<Event> begin(ProgramTask& task) override {
    auto failed = shop_.turn.store.reductions.failed_trials(task.row.id);
    auto told = shop_.recorder.told(task.row);
    shop_.turn.send([&shop = shop_, subject = confirmed_subject(task, told), shown = std::move(told.whole),
                     texts = std::set<std::string>(failed.begin(), failed.end())] {
      shop.reducer.begin(subject, shown, texts, shop.turn.now);
    });
    return std::nullopt;
  }

  std::optional<Event> on_result(ProgramTask& /*task*/, const Examined& examined) override {
    shop_.reducer.on_result(examined, shop_.turn.now);
    return std::nullopt;
  }

  std::optional<Event> poll(ProgramTask& task) override {
    for (const auto& trial : shop_.reducer.take_failed(task.row.id)) {
      shop_.turn.store.reductions.add_failed_trial(task.row.id, trial);
    }
    auto reduced = shop_.reducer.take_finished(task.row.id);
    if (!reduced) return std::nullopt;
    reduced->at = shop_.turn.wall;
    shop_.turn.store.reductions.set(*reduced);
    shop_.turn.reach(KillPoint::reduced);
    return further(shop_, task);
  }
};

}  // namespace

std::unique_ptr<Step> reduce(Workshop& shop) { return std::make_unique<Reduce>(shop); }

}  // namespace parityd::agent
