#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

/// What the screen saw of the program as it is; the whole look where it saw nothing that counts.
oracle::Kind suspected_kind(const store::Store& store, store::Id program) {
  auto kind = oracle::Kind::numerical;
  for (const auto& row : store.examinations.of(program)) {
    if (row.purpose == name(Examination::screen) && row.neutralisers.empty() && row.verdict.kind) {
      kind = *row.verdict.kind;
    }
  }
  return kind;
}

class LookCloser : public Step {
 public:
  explicit LookCloser(Workshop& shop) : Step(Examination::closer), shop_(shop) {}

  std::optional<Event> begin(ProgramTask& task) override {
    const auto kind = suspected_kind(shop_.turn.store, task.row.id);
    shop_.turn.send(
        [&shop = shop_, subject = task.subject(), kind] { shop.examiner.closer(subject, kind, shop.turn.now); });
    shop_.turn.send([&turn = shop_.turn] { turn.reach(KillPoint::executing); });
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
