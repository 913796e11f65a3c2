#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class Confirm : public Step {
 public:
  Confirm(Workshop& shop, int round) : Step(Examination::gate), shop_(shop), round_(round) {}

  std::optional<Event> begin(ProgramTask& task) override {
    shop_.turn.execute([&shop = shop_, subject = task.subject(), round = round_] {
      shop.examiner.gate(subject, Examination::gate, round, shop.turn.now);
    });
    return std::nullopt;
  }

  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    return RoundJudged{.verdict = examined.verdict,
                       .familiar = shop_.recorder.same_cause().familiar(task.row.id, examined.verdict)};
  }

 private:
  Workshop& shop_;
  int round_;
};

}  // namespace

std::unique_ptr<Step> confirm(Workshop& shop, int round) { return std::make_unique<Confirm>(shop, round); }

}  // namespace parityd::agent
