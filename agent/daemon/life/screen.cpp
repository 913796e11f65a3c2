#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>

#include "agent/daemon/life/steps.h"
#include "agent/daemon/program/draw_seed.h"
#include "oracle/rules/signature.h"

namespace parityd::agent {
namespace {

/// Makes this draw independent of step over's for the same program.
constexpr std::uint64_t kCompileDraw = 0xC0DE;

/// Not the corpus: half of it yields suspects, and each of its programs is run only once.
bool may_stay_uncompiled(store::Origin origin) { return store::is_made(origin) && origin != store::Origin::corpus; }

/// The settings by which the worker distinguishes forms (modes.py).
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

  std::optional<Event> on_result(ProgramTask& task, const Examined& examined) override {
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
  /// Neutralisers of known findings to turn on when it is screened; mostly none.
  [[nodiscard]] std::vector<oracle::Neutraliser> neutralisers(const ProgramTask& task) {
    if (!store::is_made(task.row.origin)) return {};
    if (std::exchange(shop_.stepped_over_findings, shop_.turn.findings_changes) != shop_.turn.findings_changes) {
      shop_.step_over.set_findings(shop_.turn.store.findings.list({.limit = 0}));
    }
    return shop_.step_over.choose(task.row.text, shop_.turn.device_of(task.group.value_or(0)),
                                  shop_.turn.config.seed ^ static_cast<std::uint64_t>(task.row.id));
  }

  /// Programs that are always compiled: the corpus and programs not made here, hypotheses of a model, programs being
  /// judged again, and a sample of the others, which shows whether interpreting hides anything.
  [[nodiscard]] bool is_compiled_anyway(const store::ProgramRow& program) const {
    if (!may_stay_uncompiled(program.origin) || shop_.trust.is_judged_again(program.id)) return true;
    const Config& config = shop_.turn.config;
    std::mt19937_64 random(draw_seed(kCompileDraw ^ config.seed, static_cast<std::uint64_t>(program.id)));
    return std::uniform_real_distribution<double>(0, 1)(random) < config.compile_sample ||
           shop_.turn.store.hypotheses.of_program(program.id);
  }

  /// Graphs that were all compiled and agreed with eager are no longer new.
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
  bool interprets_ = false;  // some graphs may be interpreted
};

}  // namespace

std::unique_ptr<Step> screen(Workshop& shop) { return std::make_unique<Screen>(shop, false); }
std::unique_ptr<Step> screen_compiled(Workshop& shop) { return std::make_unique<Screen>(shop, true); }

}  // namespace parityd::agent
