#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

class LookCloser : public Step {
 public:
  explicit LookCloser(Workshop& shop) : Step(Examination::closer), shop_(shop) {}

  std::optional<Event> begin(ProgramTask& task) override {
    const auto kind = shop_.recorder.suspected_kind(task.row.id);
    shop_.turn.execute(
        [&shop = shop_, subject = task.subject(), kind] { shop.examiner.closer(subject, kind, shop.turn.now); });
    return std::nullopt;
  }

  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    return LookedCloser{.verdict = examined.verdict,
                        .trusted = examined.trusted,
                        .familiar = shop_.recorder.same_cause().familiar(task.row.id, examined.verdict)};
  }

 private:
  Workshop& shop_;
};

}  // namespace

std::unique_ptr<Step> look_closer(Workshop& shop) { return std::make_unique<LookCloser>(shop); }

}  // namespace parityd::agent
