#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "agent/daemon/life/steps.h"
#include "agent/daemon/program/draw_seed.h"
#include "oracle/rules/signature.h"

namespace parityd::agent {
namespace {

/// Beside step over's, which is another draw of the same program.
constexpr std::uint64_t kCompileDraw = 0xC0DE;

/// Half of what is shipped makes suspects, and each runs but once.
bool may_stay_uncompiled(store::Origin origin) { return store::is_made(origin) && origin != store::Origin::corpus; }

/// As the worker tells forms apart by them (modes.py).
std::string settings_of(const store::ProgramRow& program) {
  const auto options = nlohmann::json::parse(program.options_json, nullptr, false);
  std::string settings;
  for (const char* name : {"mode", "own_random"}) {
    if (options.is_object() && options.contains(name)) settings += options.at(name).dump() + " ";
  }
  return settings;
}

std::string error_key_of(const oracle::Evidence& evidence) {
  const auto* eager = evidence.outcome(oracle::Mode::eager);
  return eager != nullptr && eager->error
             ? eager->error->inner_class + ": " + oracle::normalise_message(eager->error->message)
             : "";
}

class Screen : public Step {
 public:
  Screen(Workshop& shop, bool compiled) : Step(shop, Examination::screen), compiled_(compiled) {}

  std::optional<Event> begin(ProgramTask& task) override {
    Examiner::Screening how{.neutralisers = neutralisers(task), .much = shop_.newness.much(settings_of(task.row))};
    how.compile_all = compiled_ || !how.neutralisers.empty() || is_compiled_anyway(task.row);
    interprets_ = !how.compile_all;
    shop_.turn.execute(
        [&shop = shop_, subject = task.subject(), how] { shop.examiner.screen(subject, how, shop.turn.now); });
    return std::nullopt;
  }

  std::optional<Event> take(ProgramTask& task, const Examined& examined) override {
    const std::string key = error_key_of(examined.evidence);
    task.row.error_key = key;
    note_graphs(task.row, examined);
    return Screened{
        .verdict = examined.verdict,
        .trusted = examined.trusted,
        .same_error = !key.empty() && an_ancestor_raised(key, task.row.parent),
        .stepped_over = !examined.neutralisers.empty(),
        .interpreted = interprets_ && (examined.evidence.graphs.interpreted > 0 || examined.died),
        .much_new = std::cmp_greater_equal(examined.evidence.graphs.fresh.size(), examined.evidence.graphs.much)};
  }

 private:
  /// Of known findings, that hold while it is screened; mostly none.
  [[nodiscard]] std::vector<oracle::Neutraliser> neutralisers(const ProgramTask& task) {
    if (!store::is_made(task.row.origin)) return {};
    if (std::exchange(shop_.stepped_over_findings, shop_.turn.findings_changes) != shop_.turn.findings_changes) {
      shop_.step_over.set_findings(shop_.turn.store.findings.list({.limit = 0}));
    }
    return shop_.step_over.choose(task.row.text, shop_.turn.device_of(task.group.value_or(0)),
                                  shop_.turn.config.seed ^ static_cast<std::uint64_t>(task.row.id));
  }

  /// What is shipped or not of its own making, what a model supposes of the compiler, what a worker's word did not hold
  /// for, and a share of the others, which tells whether the rest hides anything.
  [[nodiscard]] bool is_compiled_anyway(const store::ProgramRow& program) const {
    if (!may_stay_uncompiled(program.origin) || shop_.trust.is_judged_again(program.id)) return true;
    const Config& config = shop_.turn.config;
    std::mt19937_64 random(draw_seed(kCompileDraw ^ config.seed, static_cast<std::uint64_t>(program.id)));
    return std::uniform_real_distribution<double>(0, 1)(random) < config.compile_sample ||
           shop_.turn.store.hypotheses.of_program(program.id);
  }

  /// What was compiled whole and agreed with eager is nothing new any more.
  void note_graphs(const store::ProgramRow& program, const Examined& examined) {
    const oracle::GraphForms& graphs = examined.evidence.graphs;
    const bool agrees = examined.trusted && examined.verdict.verdict == oracle::VerdictKind::consistent;
    if (agrees && examined.neutralisers.empty() && graphs.interpreted == 0) {
      shop_.turn.pool.know_forms(examined.group, graphs.fresh);
    }
    if (!compiled_ && graphs.seen > 0 && may_stay_uncompiled(program.origin)) {
      shop_.newness.note(settings_of(program), graphs.fresh.size());
    }
  }

  [[nodiscard]] bool an_ancestor_raised(const std::string& key, std::optional<store::Id> parent) const {
    while (parent) {
      const auto before = shop_.turn.store.programs.find(*parent);
      if (before && before->error_key == key) return true;
      parent = before ? before->parent : std::nullopt;
    }
    return false;
  }

  bool compiled_;
  bool interprets_ = false;  // not all graphs need be compiled
};

}  // namespace

std::unique_ptr<Step> screen(Workshop& shop) { return std::make_unique<Screen>(shop, false); }
std::unique_ptr<Step> screen_compiled(Workshop& shop) { return std::make_unique<Screen>(shop, true); }

}  // namespace parityd::agent
