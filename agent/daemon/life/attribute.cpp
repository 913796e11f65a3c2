#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/daemon/life/steps.h"
#include "agent/daemon/program/attributor.h"
#include "executor/pool/pool.h"
#include "oracle/json_read.h"

namespace parityd::agent {
namespace {

store::AttributionRow row_of(store::Id program, const Attributor& attributor, store::Millis now) {
  const auto& result = attributor.result();
  nlohmann::json ablations = nlohmann::json::array();
  for (const auto& tried : result.tried) {
    ablations.push_back({{"words", oracle::text(tried.neutralisers)}, {"answer", oracle::words(tried.answer)}});
  }
  return {.program = program,
          .neutraliser = oracle::line(result.neutraliser),
          .words = oracle::text(result.neutraliser),
          .workaround = result.workaround ? result.workaround->python : "",
          .caveat = result.workaround ? result.workaround->caveat : "",
          .why = result.why,
          .ablations_json = oracle::compact(ablations),
          .runs = attributor.runs(),
          .seconds = attributor.seconds(),
          .at = now};
}

class Attribute : public Step {
 public:
  explicit Attribute(Workshop& shop) : Step(shop, Examination::ablation) {}

  std::optional<Event> begin(ProgramTask& task) override {
    auto& turn = shop_.turn;
    auto confirmed = shop_.recorder.confirmed(task.row.id);
    if (confirmed.verdict.kind == oracle::Kind::hang) {  // every run would take its whole deadline
      turn.store.reductions.set_attribution(
          {.program = task.row.id, .why = "a hang is not attributed", .at = turn.wall});
      return further(shop_, task);
    }
    const auto subject = confirmed_subject(task, shop_.recorder.told(task.row));
    const auto hello = turn.pool.hello(subject.group);
    const Place place{.torch = hello ? hello->torch : "", .device = turn.pool.config(subject.group).device};
    const auto stage = confirmed.stage;
    attributor_ = std::make_shared<Attributor>(shop_.examiner, subject, std::move(confirmed), place);
    turn.send([&turn, attributor = attributor_, stage] { attributor->begin(stage, turn.now); });
    return std::nullopt;
  }

  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
    attributor_->on_result(examined, shop_.turn.now);
    if (!attributor_->done()) return std::nullopt;
    shop_.turn.store.reductions.set_attribution(row_of(task.row.id, *attributor_, shop_.turn.wall));
    shop_.turn.reach(KillPoint::attributed);
    return further(shop_, task);
  }

 private:
  std::shared_ptr<Attributor> attributor_;
};

}  // namespace

std::unique_ptr<Step> attribute(Workshop& shop) { return std::make_unique<Attribute>(shop); }

}  // namespace parityd::agent
