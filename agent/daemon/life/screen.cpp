#include <string>
#include <utility>

#include "agent/daemon/life/steps.h"
#include "oracle/rules/signature.h"

namespace parityd::agent {
namespace {

std::string error_key_of(const oracle::Evidence& evidence) {
  const auto* eager = evidence.outcome(oracle::Mode::eager);
  return eager != nullptr && eager->error
             ? eager->error->inner_class + ": " + oracle::normalise_message(eager->error->message)
             : "";
}

class Screen : public Step {
 public:
  explicit Screen(Workshop& shop) : Step(shop, Examination::screen) {}

  std::optional<Event> begin(ProgramTask& task) override {
    shop_.turn.execute([&shop = shop_, subject = task.subject(), known = neutralisers(task)] {
      shop.examiner.screen(subject, shop.turn.now, known);
    });
    return std::nullopt;
  }

  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    const std::string key = error_key_of(examined.evidence);
    task.row.error_key = key;
    return Screened{.verdict = examined.verdict,
                    .trusted = examined.trusted,
                    .same_error = !key.empty() && an_ancestor_raised(key, task.row.parent),
                    .stepped_over = !examined.neutralisers.empty()};
  }

 private:
  /// Of known findings, that hold while it is screened; mostly none.
  [[nodiscard]] std::vector<oracle::Neutraliser> neutralisers(const ProgramTask& task) {
    if (!may_be_stepped_over(task.row)) return {};
    if (std::exchange(shop_.stepped_over_findings, shop_.turn.findings_changes) != shop_.turn.findings_changes) {
      shop_.step_over.set_findings(shop_.turn.store.findings.list({.limit = 0}));
    }
    return shop_.step_over.choose(task.row.text, shop_.turn.device_of(task.group.value_or(0)),
                                  shop_.turn.config.seed ^ static_cast<std::uint64_t>(task.row.id));
  }

  [[nodiscard]] bool an_ancestor_raised(const std::string& key, std::optional<store::Id> parent) const {
    while (parent) {
      const auto before = shop_.turn.store.programs.find(*parent);
      if (before && before->error_key == key) return true;
      parent = before ? before->parent : std::nullopt;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Step> screen(Workshop& shop) { return std::make_unique<Screen>(shop); }

}  // namespace parityd::agent
