#include <fmt/format.h>

#include <memory>
#include <utility>

#include "agent/daemon/life/steps.h"

namespace parityd::agent {
namespace {

/// Number of findings whose neutralisers are tried: one compile each.
constexpr std::size_t kMostFindings = 3;

class TryKnownCauses : public Step {
 public:
  explicit TryKnownCauses(Workshop& shop) : Step(shop, Examination::ablation) {}

  std::optional<Event> begin(ProgramTask& task) override {
    symptom_ = std::make_shared<const oracle::Shown>(shop_.recorder.suspected(task.row.id));
    for (auto& finding : shop_.recorder.same_cause().nearest(task.row.id, kMostFindings)) {
      if (auto neutralisers = oracle::neutralisers_from_line(finding.neutraliser)) {
        known_.push_back({.finding = std::move(finding), .neutralisers = std::move(*neutralisers)});
      }
    }
    return try_next(task);
  }

  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
    if (examined.answer != oracle::Answer::vanishes) return try_next(task);
    const auto& finding = known_[static_cast<std::size_t>(examined.round)].finding;
    shop_.recorder.same_cause().adopt(finding.id, task.row.id);
    task.vanishes_with = finding.neutraliser;
    return KinTried{
        .verdict = symptom_->verdict,
        .familiar = Familiar::yes,
        .why = fmt::format("it vanishes with the neutraliser of finding {}: {}", finding.id, finding.neutraliser)};
  }

 private:
  struct Known {
    store::FindingRow finding;
    std::vector<oracle::Neutraliser> neutralisers;
  };

  std::optional<Event> try_next(const ProgramTask& task) {
    if (next_ == known_.size()) return KinTried{.verdict = symptom_->verdict};
    const oracle::Ablation ablation{.number = static_cast<int>(next_), .neutralisers = known_[next_].neutralisers};
    ++next_;
    shop_.turn.send([&shop = shop_, subject = task.subject(), ablation, symptom = symptom_] {
      shop.examiner.ablate(subject, ablation, symptom, shop.turn.now);
    });
    return std::nullopt;
  }

  std::shared_ptr<const oracle::Shown> symptom_;
  std::vector<Known> known_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Step> try_known_causes(Workshop& shop) { return std::make_unique<TryKnownCauses>(shop); }

}  // namespace parityd::agent
