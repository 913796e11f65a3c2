// parityd rejudge: applies the present rules, excuses and dispositions to stored measurements. Only shows differences:
// a finding's draft and its place in the queue come from the round that found it.
#include <algorithm>

#include "agent/cli/commands.h"
#include "agent/cli/commands/shared_options.h"
#include "agent/cli/installation.h"
#include "agent/cli/json.h"
#include "agent/cli/reading.h"
#include "agent/daemon/findings/recorder.h"
#include "agent/daemon/loop/wall_clock.h"

namespace parityd::agent {
namespace {

using oracle::VerdictKind;

struct RejudgeOptions {
  std::vector<std::string> without;
  bool json = false;
};

/// One result that would be different now.
struct Change {
  std::optional<store::Id> finding;
  store::Id program = 0;
  store::Examination purpose = store::Examination::screen;  // screen or confirmation
  int round = 0;
  std::string before, after;  // "excused numbers.noise", "inconsistent (numerical) numbers.double_run, ready"
  std::string why;
};

std::string text_of(const oracle::Verdict& verdict) {
  const std::string kind = verdict.kind ? fmt::format(" ({})", oracle::name(*verdict.kind)) : "";
  return fmt::format("{}{} {}", oracle::name(verdict.verdict), kind, verdict.rule);
}

bool same_judgement(const oracle::Verdict& one, const oracle::Verdict& other) {
  return one.verdict == other.verdict && one.kind == other.kind && one.rule == other.rule;
}

class Rejudging {
 public:
  Rejudging(store::Store& store, const Config& config, const RejudgeOptions& options)
      : store_(store),
        policy_(disposition_policy(config)),
        recorder_(store, find_installation().draft_template, config.seed, policy_),
        off_(config.excuses_off.begin(), config.excuses_off.end()),
        now_(wall_clock()) {
    off_.insert(options.without.begin(), options.without.end());
    if (policy_.newest_configured) policy_.newest_torch = torch_built_for(config.newest_python);
  }

  void run() {
    for (const auto& finding : store_.findings.list({.limit = 0})) look_at(finding);
    store_.examinations.for_each_program([this](store::Id program) { look_at(program); });
  }

  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  [[nodiscard]] std::int64_t examinations() const { return examinations_; }

 private:
  /// Confirmation rounds and screens are judged separately; results of stage runs and trials follow from a
  /// confirmation's verdict.
  void look_at(store::Id program) {
    for (const auto& row : store_.examinations.of(program)) {
      const bool confirmation = row.purpose == store::Examination::confirmation;
      if (!confirmation && row.purpose != store::Examination::screen) continue;
      ++examinations_;
      const auto held = oracle::neutralisers_from_line(row.neutralisers).value_or(std::vector<oracle::Neutraliser>{});
      const auto plain = confirmation ? oracle::judge(row.evidence, off_) : oracle::screen(row.evidence, off_);
      const auto now = oracle::without_compiling(oracle::beyond(plain, held), row.evidence.graphs);
      const bool unjudged = row.verdict.rule.empty() || row.verdict.rule == "harness";
      if (unjudged || same_judgement(row.verdict, now)) continue;
      changes_.push_back({.finding = std::nullopt,
                          .program = program,
                          .purpose = row.purpose,
                          .round = row.round,
                          .before = text_of(row.verdict),
                          .after = text_of(now),
                          .why = now.explanation});
    }
  }

  /// The disposition of a finding whose confirming round still confirms it.
  void look_at(const store::FindingRow& finding) {
    const auto row = recorder_.confirming_round(finding.program);
    if (!row) return;
    const auto now = oracle::judge(row->evidence, off_);
    const bool still = now.verdict == VerdictKind::inconsistent;
    const auto disposed =
        oracle::dispose(now, row->evidence, disposition_facts(store_, finding, policy_, now_), policy_.choices);
    const bool stays =
        rests_with_a_person(finding.disposition) || disposed.disposition.text() == finding.disposition.text();
    if (still && stays) return;
    changes_.push_back({.finding = finding.id,
                        .program = finding.program,
                        .purpose = row->purpose,
                        .round = row->round,
                        .before = finding.disposition.text(),
                        .after = still ? disposed.disposition.text() : "no finding: " + text_of(now),
                        .why = still ? fmt::format("row {} of the disposition table", disposed.row) : now.explanation});
  }

  store::Store& store_;
  DispositionPolicy policy_;
  Recorder recorder_;  // only reads
  oracle::ExcusesOff off_;
  store::Millis now_;
  std::vector<Change> changes_;
  std::int64_t examinations_ = 0;
};

void print_text(Context& context, const Rejudging& rejudging) {
  for (const auto& change : rejudging.changes()) {
    const std::string what = change.finding
                                 ? fmt::format("finding {}", *change.finding)
                                 : fmt::format("program {}, {} {}", change.program, name(change.purpose), change.round);
    context.out << printable(fmt::format("{}: {} -> {}\n  {}\n", what, change.before, change.after, change.why));
  }
  const auto& changes = rejudging.changes();
  const auto findings = std::count_if(changes.begin(), changes.end(), [](const auto& each) { return each.finding; });
  const std::string all = fmt::format(
      "{} stored examinations judged again: {} verdicts and {} dispositions of findings would change; nothing was "
      "changed",
      rejudging.examinations(), static_cast<std::int64_t>(changes.size()) - findings, findings);
  // Wrapped on a terminal; one line in a pipe.
  context.out << (context.screen.terminal ? wrapped(all, 0, context.screen) : all) << "\n";
}

void print_objects(Context& context, const Rejudging& rejudging) {
  const auto changes = json_array(rejudging.changes(), [](const Change& change) -> nlohmann::json {
    return {{"finding", or_null(change.finding)},
            {"program", change.program},
            {"purpose", change.purpose},
            {"round", change.round},
            {"before", change.before},
            {"after", change.after},
            {"why", change.why}};
  });
  print_json(context, {{"examinations", rejudging.examinations()}, {"changes", changes}});
}

void rejudge(Context& context, const RejudgeOptions& options) {
  const auto config = load_context_config(context);
  if (!config) return;
  const auto store = open_or_fail(context);
  if (!store) return;
  Rejudging rejudging(*store, *config, options);
  rejudging.run();
  options.json ? print_objects(context, rejudging) : print_text(context, rejudging);
  context.exit_code = rejudging.changes().empty() ? 0 : 1;
}

}  // namespace

void add_rejudge(CLI::App& app, Context& context) {
  auto options = std::make_shared<RejudgeOptions>();
  CLI::App* command = app.add_subcommand(
      "rejudge", "Judge stored measurements by the current rules and show what would change. Changes nothing.");
  add_without_option(*command, options->without);
  command->add_flag("--json", options->json, "Print a JSON object: examinations, changes");
  command->footer(
      "Exit code: 0 nothing would change, 1 something would, or there is no database, 2 usage error, 3 environment "
      "error.");
  command->callback([&context, options] { rejudge(context, *options); });
}

}  // namespace parityd::agent
