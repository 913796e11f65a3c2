// Steps of one run each that a confirmed program goes through.
#include <functional>
#include <utility>

#include "agent/daemon/life/confirmed.h"
#include "agent/daemon/life/split_outputs.h"
#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class OneRun : public Step {
 public:
  /// Sends it, of the program as it was confirmed.
  using Send = std::function<void(Examiner&, const Subject&, const Recorder::Told&, executor::TimePoint)>;
  OneRun(Workshop& shop, Examination what, Send send) : Step(what), shop_(shop), send_(std::move(send)) {}

  std::optional<Event> begin(ProgramTask& task) override {
    auto told = shop_.recorder.told(task.row);
    auto subject = confirmed_subject(task, told);
    shop_.turn.send([&shop = shop_, send = send_, subject = std::move(subject), told = std::move(told)] {
      send(shop.examiner, subject, told, shop.turn.now);
    });
    return std::nullopt;
  }
  std::optional<Event> take(ProgramTask& task, const Examined& /*examined*/) override { return further(shop_, task); }

 private:
  Workshop& shop_;
  Send send_;
};

class FindRest : public Step {
 public:
  explicit FindRest(Workshop& shop) : Step(Examination::rest), shop_(shop) {}

  std::optional<Event> begin(ProgramTask& task) override {
    const auto kind = shop_.recorder.told(task.row).whole.verdict.kind.value_or(oracle::Kind::numerical);
    const auto attribution = shop_.turn.store.reductions.attribution(task.row.id).value_or(store::AttributionRow{});
    auto gone = oracle::neutralisers_from_line(attribution.neutraliser).value_or(std::vector<oracle::Neutraliser>{});
    shop_.turn.send([&shop = shop_, whole = task.subject(), kind, gone = std::move(gone)] {
      shop.examiner.rest(whole, Examination::rest, kind, gone, shop.turn.now);
    });
    return std::nullopt;
  }
  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    if (examined.verdict.verdict == oracle::VerdictKind::inconsistent) {
      split_outputs(shop_, task.row, examined.verdict.leaves);
    }
    return further(shop_, task);
  }

 private:
  Workshop& shop_;
};

}  // namespace

std::unique_ptr<Step> confirm_reduced(Workshop& shop) {
  return std::make_unique<OneRun>(shop, Examination::final_gate,
                                  [](auto& examiner, const auto& subject, const auto& told, auto now) {
                                    examiner.gate(subject, Examination::final_gate, told.final_rounds + 1, now);
                                  });
}

std::unique_ptr<Step> find_stage(Workshop& shop) {
  return std::make_unique<OneRun>(shop, Examination::ladder,
                                  [](auto& examiner, const auto& subject, const auto& told, auto now) {
                                    examiner.ladder(subject, told.whole.verdict, now);
                                  });
}

std::unique_ptr<Step> find_reach(Workshop& shop) {
  return std::make_unique<OneRun>(shop, Examination::reach,
                                  [](auto& examiner, const auto& subject, const auto& told, auto now) {
                                    examiner.reach(subject, told.trials + 1, now);
                                  });
}

std::unique_ptr<Step> find_rest(Workshop& shop) { return std::make_unique<FindRest>(shop); }

}  // namespace parityd::agent
