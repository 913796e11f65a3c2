#include "oracle/finding/disposition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "oracle/rules/excuses.h"
#include "oracle/rules/refusals.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

constexpr std::string_view kLostCheck = "umbrella(197554)";       // eager raises, compiled accepts
constexpr std::string_view kLostDtypeCheck = "umbrella(198155)";  // accepted for dtypes eager does not implement
constexpr std::string_view kReturnsInput = "known(197893)";
constexpr std::string_view kSignedZero = "umbrella(189799)";
constexpr int kEagerOutOfBounds = 195547;

struct Question {
  const Verdict& verdict;
  const Evidence& evidence;
  const DispositionFacts& facts;
};

// ---- the facts that rows check

/// Whether all leaves of the verdict have the fact and nothing worse.
bool all_leaves(const Question& question, bool (*wanted)(const LeafMeasurement&)) {
  const Measurement* const measured = question.evidence.measurement(Mode::eager, question.evidence.compiled);
  if (measured == nullptr || question.verdict.leaves.empty()) return false;
  return std::all_of(question.verdict.leaves.begin(), question.verdict.leaves.end(), [&](const std::string& path) {
    const LeafMeasurement* const leaf = measured->find(path);
    return leaf != nullptr && wanted(*leaf);
  });
}

bool worse_than_layout(const LeafMeasurement& leaf) {
  return leaf.missing || leaf.type_differs || leaf.dtype_differs || leaf.shape_differs || leaf.requires_grad_differs;
}
bool only_strides(const LeafMeasurement& leaf) {
  return leaf.stride_differs && !leaf.alias_differs && !worse_than_layout(leaf);
}

bool by_layout(const Question& question) { return rules::is_about_layout(question.verdict); }

bool is_known(const Question& question) { return known_fault(question.verdict.rule) != nullptr; }

bool by_zero_sign(const Question& question) { return rules::is_about_zero_sign(question.verdict); }

bool is_flaky(const Question& question) { return question.facts.flaky; }

bool is_gone_on_newest(const Question& question) { return question.facts.newest == NewestTorch::gone; }

bool replaces_torch(const Question& question) {
  const auto& outcomes = question.evidence.outcomes;
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const auto& entry) { return !entry.second.replaced.empty(); });
}

bool eager_is_wrong(const Question& question) {
  return question.facts.out_of_bounds == Side::eager ||
         side_of(question.verdict, question.evidence).side == Side::eager;
}

bool lost_dtype_check(const Question& question) {
  const Outcome* const eager = question.evidence.outcome(Mode::eager);
  return question.verdict.kind == Kind::missing_check && eager != nullptr && eager->error &&
         eager->error->message.find("not implemented for '") != std::string::npos;
}

bool lost_check(const Question& question) { return question.verdict.kind == Kind::missing_check; }

bool strides_alone(const Question& question) {
  return by_layout(question) && !question.facts.strict_strides && !question.facts.felt_downstream &&
         all_leaves(question, only_strides);
}

/// The same leaves agree once subnormal inputs are made normal.
bool subnormal_only(const Question& question) {
  const Measurement* const normal = question.evidence.measurement(Mode::eager_normal, Mode::inductor_normal);
  if (normal == nullptr || question.verdict.leaves.empty()) return false;
  return std::all_of(question.verdict.leaves.begin(), question.verdict.leaves.end(), [&](const std::string& path) {
    const LeafMeasurement* const leaf = normal->find(path);
    return leaf != nullptr && !leaf->values_differ() && !worse_than_layout(*leaf);
  });
}

bool needs_edge_inputs(const Question& question) {
  const Trigger trigger = question.facts.trigger;
  return question.evidence.inputs.edge() && (trigger == Trigger::unknown || trigger == Trigger::edge);
}

const Outcome* compiled_outcome(const Question& question) {
  return question.evidence.outcome(question.evidence.compiled);
}

bool of_other_numbers(const Question& question) {
  const auto& leaves = question.verdict.leaves;
  const auto is_drawn = [](const std::string& path) { return path.starts_with(kDrawn); };
  return !leaves.empty() && std::all_of(leaves.begin(), leaves.end(), is_drawn);
}

/// Random numbers are drawn, and the order of the draws depends on what reduction left in the program. If only
/// gradients differ, forward has drawn the same numbers on both sides; if distributions differ, the order is
/// irrelevant.
bool by_random_numbers(const Question& question) {
  if (of_other_numbers(question)) return false;
  const Outcome* const compiled = compiled_outcome(question);
  return question.verdict.kind && values_differ(*question.verdict.kind) && *question.verdict.kind != Kind::gradient &&
         compiled != nullptr && !compiled->seeded.empty();
}

bool ran_in_double(const Question& question) {
  return question.evidence.ran(Mode::reference) && question.evidence.ran(Mode::inductor_fp64);
}

/// Rounding noise changes none of the program's results: its values are exact.
bool nothing_rounds(const Question& question) {
  const Measurement* const noise = question.evidence.measurement(Mode::eager, Mode::eager_noise);
  return noise != nullptr && std::all_of(noise->leaves.begin(), noise->leaves.end(), [](const LeafMeasurement& leaf) {
           return leaf.unequal == 0 && !leaf.metadata_differs();
         });
}

bool is_discrete(const LeafMeasurement& leaf) { return is_exact(leaf.dtype); }
bool only_shape(const LeafMeasurement& leaf) {
  return leaf.shape_differs && !leaf.missing && !leaf.type_differs && !leaf.dtype_differs;
}

/// The last bit may decide a comparison, a rounding to integers, a mask or the program's own check. Only a double run
/// can show that it does not: a few draws of noise do not reach every case.
bool may_be_rounding(const Question& question) {
  const std::string& rule = question.verdict.rule;
  const Outcome* const compiled = compiled_outcome(question);
  const bool own_check = rule == "outcome.compiled_raises" && compiled != nullptr && compiled->error &&
                         is_own_check(*compiled->error) && !ran_in_double(question);
  const bool integers = rule == "numbers.no_double_run" && all_leaves(question, is_discrete);
  const bool shape = rule == "metadata.exact" && !ran_in_double(question) &&
                     question.evidence.ran(Mode::eager_repeat) && all_leaves(question, only_shape);
  return (own_check || integers || shape) && !nothing_rounds(question);
}

bool calls_private_operator(const Question& question) {
  const Outcome* const compiled = compiled_outcome(question);
  return compiled != nullptr && !compiled->private_operators.empty();
}

bool known_table_is_old(const Question& question) {
  return question.facts.known_age && *question.facts.known_age > question.facts.known_max_age;
}

bool is_untried(const Question& question) { return question.facts.newest == NewestTorch::untried; }

bool is_different_on_newest(const Question& question) { return question.facts.newest == NewestTorch::different; }

bool out_of_bounds(const Question& question) { return question.facts.out_of_bounds == Side::compiled; }

bool is_unusual(const Question& question) {
  return question.facts.calls_overloads || question.facts.trigger == Trigger::edge;
}

/// Numbers that are strides, or follow from them.
bool strides_asked_for(const Question& question) {
  return question.facts.asks_for_strides && question.verdict.kind == Kind::numerical &&
         all_leaves(question, is_discrete);
}

bool layout_alone(const Question& question) {
  return strides_asked_for(question) || (by_layout(question) && all_leaves(question, only_strides));
}

bool is_metadata(const Question& question) { return question.verdict.kind == Kind::metadata; }

bool fails_to_run(const Question& question) { return question.verdict.kind && fails(*question.verdict.kind); }

bool anything(const Question& /*question*/) { return true; }

bool script_denies(const Question& question) { return question.facts.script == ScriptRuns::not_shown; }

bool script_is_wanted(const Question& question) { return question.facts.script == ScriptRuns::wanted; }

// ---- the table

struct Row {
  DispositionRow shown;
  bool (*applies)(const Question&);
};

/// Rows that hold a finding in any case come first; age and newest torch only hold what would be ready.
constexpr std::array<Row, 23> kTable{{
    {{"flaky", "not every confirmation round shows it", "held(flaky)"}, is_flaky},
    {{"fixed", "gone on the newest configured torch", "held(fixed)"}, is_gone_on_newest},
    {{"patched", "the program replaces torch's own code, or changes settings other than by OPTIONS", "held(patched)"},
     replaces_torch},
    {{"known", "a known PyTorch bug: an input is returned where eager makes a new tensor (x + 0)", kReturnsInput},
     is_known},
    {{"eager", "eager is the wrong side: it crashes, or the double runs disagree with it", "held(eager)"},
     eager_is_wrong},
    {{"lost_dtype_check", "missing_check, eager raises \"not implemented for 'dtype'\"", kLostDtypeCheck},
     lost_dtype_check},
    {{"lost_check", "missing_check of an explicit check in eager", kLostCheck}, lost_check},
    {{"strides", "only strides differ, nothing downstream depends on them, and strict_output_strides is off",
      "held(stride)"},
     strides_alone},
    {{"zero_sign", "only the sign of a zero differs, made visible by signbit, copysign or 1/x", kSignedZero},
     by_zero_sign},
    {{"subnormal", "vanishes when subnormal values are replaced by normal ones", "held(subnormal)"}, subnormal_only},
    {{"edge", "NaN, Inf, extreme values or zero-size inputs, and ordinary inputs do not show it", "held(edge)"},
     needs_edge_inputs},
    {{"random",
      "values of forward differ and random numbers are drawn: both sides draw the same ones, possibly in another order",
      "held(random)"},
     by_random_numbers},
    {{"rounding",
      "a discontinuity (an integer, a shape, the program's own check), rounding moves values, and no double run can "
      "tell",
      "held(rounding)"},
     may_be_rounding},
    {{"private",
      "the program calls an operator for torch's internal use (torch.ops.aten._…, torch.ops.onednn…), whose callers do "
      "the checks",
      "held(private)"},
     calls_private_operator},
    {{"stale", "the table of known issues is older than allowed", "held(stale)"}, known_table_is_old},
    {{"untried", "it has not been run on the newest configured torch yet", "held(untried)"}, is_untried},
    {{"different", "the newest configured torch shows something else", "held(different)"}, is_different_on_newest},
    {{"out_of_bounds", "compiled code reads or writes outside its memory", "ready(1)"}, out_of_bounds},
    {{"unusual", "it takes unusual inputs, or operators called by their overloads (torch.ops.aten.add.Scalar)",
      "ready(5)"},
     is_unusual},
    {{"layout", "strides that something depends on, or that the program itself asks for", "ready(4)"}, layout_alone},
    {{"metadata", "shape, dtype, requires_grad, or aliasing that a later write can reveal", "ready(3)"}, is_metadata},
    {{"fails", "compiled code raises, crashes or hangs where eager runs", "ready(2)"}, fails_to_run},
    {{kLastRow, "everything else: wrong values, gradients, mutation", "ready(1)"}, anything},
}};

/// Checked for findings that would be ready.
constexpr std::array<Row, 2> kScriptRows{{
    {{"script_denies", "would be ready, but its stand-alone script, run without parityd, does not reproduce it",
      "held(tampered)"},
     script_denies},
    {{"script", "would be ready, but its stand-alone script has not been run yet, or cannot tell", "held(script)"},
     script_is_wanted},
}};

std::optional<int> number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number > 0;
  return whole ? std::optional(number) : std::nullopt;
}

Disposition decided(const Row& row, const Question& question) {
  Disposition disposition = disposition_from_text(row.shown.disposition).value();
  if (row.applies == eager_is_wrong && question.facts.out_of_bounds == Side::eager)
    disposition.umbrella_issue = kEagerOutOfBounds;
  return disposition;
}

/// nullopt: no row applies, or the configuration skips those that do.
std::optional<DisposedBy> first_of(std::span<const Row> rows, const Question& question,
                                   const DispositionChoices& choices) {
  for (const Row& row : rows) {
    if (!row.applies(question)) continue;
    const auto chosen = choices.find(row.shown.name);
    if (chosen == choices.end()) return DisposedBy{row.shown.name, decided(row, question)};
    if (chosen->second) return DisposedBy{row.shown.name, *chosen->second};
  }
  return std::nullopt;
}

}  // namespace

std::string Disposition::text() const {
  switch (klass) {
    case Class::ready:
      return "ready";
    case Class::umbrella:
      return "umbrella(" + std::to_string(umbrella_issue) + ")";
    case Class::known:
      return "known(" + std::to_string(umbrella_issue) + ")";
    case Class::held:
      break;
  }
  return "held(" + reason + ")";
}

std::optional<Disposition> disposition_from_text(std::string_view text) {
  if (text == "ready") return Disposition{};
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  const std::string_view klass = text.substr(0, open);
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  const auto number = number_in(inside);
  if (klass == "ready" && number && *number <= kMildest) return Disposition{Disposition::Class::ready, *number, 0, ""};
  if (klass == "known" && number) return Disposition{Disposition::Class::known, 0, *number, ""};
  if (klass == "umbrella" && number) return Disposition{Disposition::Class::umbrella, 0, *number, ""};
  const bool word =
      !inside.empty() && inside.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
  if (klass == "held" && word) return held(inside);
  return std::nullopt;
}

bool calls_overloads(std::string_view program) {
  constexpr std::array<std::string_view, 6> kTorchs{"aten",     "prims", "quantized", "quantized_decomposed",
                                                    "inductor", "mkldnn"};
  return std::ranges::any_of(kTorchs, [&](std::string_view library) {
    return program.find("torch.ops." + std::string(library) + ".") != std::string_view::npos;
  });
}

bool asks_for_strides(std::string_view program) {
  return program.find(".stride(") != std::string_view::npos ||
         program.find(".is_contiguous(") != std::string_view::npos;
}

ScriptRuns script_runs(const ScriptReport& report) {
  switch (report.says) {
    case ScriptSays::shown:
      return ScriptRuns::shown;
    case ScriptSays::not_shown:
      return ScriptRuns::not_shown;
    case ScriptSays::cannot_tell:
      break;
  }
  return ScriptRuns::wanted;
}

DisposedBy dispose(const Verdict& verdict, const Evidence& evidence, const DispositionFacts& facts,
                   const DispositionChoices& choices) {
  const Question question{verdict, evidence, facts};
  auto by_table = first_of(kTable, question, choices)
                      .value_or(DisposedBy{kTable.back().shown.name, decided(kTable.back(), question)});
  if (!by_table.disposition.is_ready()) return by_table;
  auto by_script = first_of(kScriptRows, question, choices);
  return by_script ? *std::move(by_script) : std::move(by_table);
}

const std::vector<DispositionRow>& disposition_rows() {
  static const std::vector<DispositionRow> rows = [] {
    std::vector<DispositionRow> shown;
    shown.reserve(kTable.size() + kScriptRows.size());
    for (const Row& row : kTable) shown.push_back(row.shown);
    for (const Row& row : kScriptRows) shown.push_back(row.shown);
    return shown;
  }();
  return rows;
}

}  // namespace parityd::oracle
