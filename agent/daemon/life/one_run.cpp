// Steps that consist of one run.
#include <functional>
#include <utility>

#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class OneRun : public Step {
 public:
  using Begin = std::function<void(Workshop&, const ProgramTask&)>;
  using Take = std::function<Event(Workshop&, const ProgramTask&, const Examined&)>;
  OneRun(Workshop& shop, Examination what, Begin begin, Take take)
      : Step(shop, what), begin_(std::move(begin)), take_(std::move(take)) {}

  std::optional<Event> begin(ProgramTask& task) override {
    begin_(shop_, task);
    return std::nullopt;
  }
  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
    return take_(shop_, task, examined);
  }

 private:
  Begin begin_;
  Take take_;
};

/// A run of the program as confirmed. `send`: starts it.
template <class Send>
std::unique_ptr<Step> run_of_confirmed(Workshop& workshop, Examination what, const Send& send) {
  const auto begin = [send](Workshop& shop, const ProgramTask& task) {
    auto told = shop.recorder.told(task.row);
    auto subject = confirmed_subject(task, told);
    shop.turn.send([&shop, send, subject = std::move(subject), told = std::move(told)] {
      send(shop.examiner, subject, told, shop.turn.now);
    });
  };
  return std::make_unique<OneRun>(
      workshop, what, begin,
      [](const Workshop& shop, const ProgramTask& task, const Examined&) { return further(shop, task); });
}

}  // namespace

Subject confirmed_subject(const ProgramTask& task, const Recorder::Told& told) {
  Subject subject = task.subject();
  if (told.reduction_holds()) {
    subject.text = told.reduction->text;
    subject.options_json = told.reduction->options_json;
  }
  return subject;
}

Event further(const Workshop& shop, const ProgramTask& task) {
  return Further{.verdict = shop.recorder.told(task.row).whole.verdict};
}

std::unique_ptr<Step> run_controls(Workshop& workshop) {
  const auto begin = [](Workshop& shop, const ProgramTask& task) {
    const auto kind = shop.recorder.suspected_kind(task.row.id);
    shop.turn.execute(
        [&shop, subject = task.subject(), kind] { shop.examiner.run_controls(subject, kind, shop.turn.now); });
  };
  const auto take = [](Workshop& shop, const ProgramTask& task, const Examined& examined) {
    return ControlsRan{.verdict = examined.verdict,
                       .trusted = examined.trusted,
                       .familiar = shop.recorder.same_cause().familiar(task.row.id, examined.verdict)};
  };
  return std::make_unique<OneRun>(workshop, Examination::controls, begin, take);
}

std::unique_ptr<Step> confirm(Workshop& workshop, int round) {
  const auto begin = [round](Workshop& shop, const ProgramTask& task) {
    shop.turn.execute([&shop, subject = task.subject(), round] {
      shop.examiner.confirm(subject, Examination::confirmation, round, shop.turn.now);
    });
  };
  const auto take = [](Workshop& shop, const ProgramTask& task, const Examined& examined) {
    const auto familiar = shop.recorder.same_cause().familiar(task.row.id, examined.verdict);
    const Observations& seen = shop.recorder.observed(task.row.id);
    return RoundJudged{.verdict = examined.verdict,
                       .familiar = familiar,
                       .another = seen.shows_another(),
                       .overrules_hang = seen.overruled_hang()};
  };
  return std::make_unique<OneRun>(workshop, Examination::confirmation, begin, take);
}

std::unique_ptr<Step> confirm_reduced(Workshop& workshop) {
  return run_of_confirmed(
      workshop, Examination::final_confirmation, [](auto& examiner, const auto& subject, const auto& told, auto now) {
        examiner.confirm(subject, Examination::final_confirmation, told.position.final_rounds + 1, now);
      });
}

std::unique_ptr<Step> find_stage(Workshop& workshop) {
  return run_of_confirmed(workshop, Examination::stages,
                          [](auto& examiner, const auto& subject, const auto& told, auto now) {
                            examiner.run_stages(subject, told.whole.verdict, now);
                          });
}

std::unique_ptr<Step> find_trigger(Workshop& workshop) {
  return run_of_confirmed(workshop, Examination::trigger,
                          [](auto& examiner, const auto& subject, const auto& told, auto now) {
                            examiner.try_trigger(subject, told.trials + 1, now);
                          });
}

}  // namespace parityd::agent
