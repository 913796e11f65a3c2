#include "agent/daemon/life/split_outputs.h"
#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class LookBeyond : public Step {
 public:
  explicit LookBeyond(Workshop& shop) : Step(Examination::beyond), shop_(shop) {}

  std::optional<Event> begin(ProgramTask& task) override {
    shop_.turn.execute([&shop = shop_, subject = task.subject(), known = shop_.recorder.told(task.row).stepped_over] {
      shop.examiner.rest(subject, Examination::beyond, oracle::Kind::numerical, known, shop.turn.now);
    });
    return std::nullopt;
  }

  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    looked_ = {.verdict = examined.verdict, .trusted = examined.trusted};
    const bool stays = examined.trusted && examined.verdict.verdict == oracle::VerdictKind::inconsistent;
    const bool apart = outputs_compared(examined.evidence) > 1;  // a program of one output would be itself again
    split_ = split_outputs(shop_, task.row, stays && apart ? examined.verdict.leaves : std::vector<std::string>{});
    return std::nullopt;
  }

  std::optional<Event> poll(ProgramTask& /*task*/) override {
    if (!split_ || split_->left > 0) {
      return std::nullopt;
    }
    looked_.parts = split_->parts;
    return looked_;
  }

 private:
  Workshop& shop_;
  LookedBeyond looked_;
  std::shared_ptr<const OutputsSplit> split_;
};

}  // namespace

std::unique_ptr<Step> look_beyond(Workshop& shop) { return std::make_unique<LookBeyond>(shop); }

}  // namespace parityd::agent
