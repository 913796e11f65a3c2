#include "agent/daemon/findings/same_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "agent/daemon/findings/finding_operators.h"
#include "store/findings/known_issues.h"

namespace parityd::agent {
namespace {

bool blames_operators(const store::FindingRow& finding) {
  const auto neutralisers = oracle::neutralisers_from_line(finding.neutraliser);
  return !finding.neutraliser.empty() && neutralisers && std::ranges::all_of(*neutralisers, oracle::names_operator);
}

bool fails_with(const store::ExtentRow& extent, std::string_view aspect, const std::string& value) {
  const auto failing = store::values_failing(extent, aspect);
  return std::ranges::find(failing, value) != failing.end();
}

/// Whether other operators were tried instead of this one, which is listed first.
bool is_about(const store::ExtentRow& extent, const std::string& operator_name) {
  const auto failing = store::values_failing(extent, "operators");
  return !failing.empty() && failing.front() == operator_name;
}

/// Same stage of the compiler, and both or neither only about a layout or the sign of a zero.
bool shown_alike(const store::FindingRow& one, const store::FindingRow& other) {
  return one.stage == other.stage &&
         oracle::tells_of_layout(one.signature) == oracle::tells_of_layout(other.signature) &&
         oracle::tells_of_zero_sign(one.signature) == oracle::tells_of_zero_sign(other.signature);
}

/// Wrong values of one operator show in an output, a gradient or a mutated input, depending on the program, so findings
/// blamed on operators have any of these kinds. `kind` comes first.
std::vector<oracle::Kind> kin_kinds(oracle::Kind kind) {
  std::vector<oracle::Kind> kinds{kind};
  for (const auto other : {oracle::Kind::numerical, oracle::Kind::gradient, oracle::Kind::mutation}) {
    if (oracle::values_differ(kind) && other != kind) kinds.push_back(other);
  }
  return kinds;
}

/// Text that a finding's signature must also contain: an operator's eager kernel makes all its checks and raises none
/// of the compiler's errors, so that they vanish with its neutraliser does not tell which one it was.
std::string told_by_error(oracle::Kind kind, const oracle::Evidence& evidence) {
  if (kind == oracle::Kind::missing_check) return oracle::refusal(evidence);
  return kind == oracle::Kind::behaviour ? oracle::classes_raised(evidence) : "";
}

/// One in this many occurrences of a finding gets every confirmation round.
constexpr store::Id kRecheckEvery = 50;

}  // namespace

void SameCause::adopt(store::Id finding, store::Id program) {
  if (const auto raw = observer_.of(program).raw_signature()) store_.findings.add_raw_signature(finding, *raw);
}

Familiar SameCause::familiar(store::Id program, const oracle::Verdict& verdict) const {
  const auto raw =
      verdict.verdict == oracle::VerdictKind::inconsistent ? observer_.of(program).raw_signature() : std::nullopt;
  const auto finding = raw ? store_.findings.by_raw_signature(raw->hash) : std::nullopt;
  if (!finding) return Familiar::no;
  return (finding->occurrences + 1) % kRecheckEvery == 0 ? Familiar::recheck : Familiar::yes;
}

bool SameCause::add_occurrence(store::Id program, const std::string& why, const std::string& vanishes_with,
                               store::Millis now) {
  const auto raw = observer_.of(program).raw_signature();
  const auto finding = raw ? store_.findings.by_raw_signature(raw->hash) : std::nullopt;
  if (!finding) return false;
  store_.groups.add_occurrence(finding->id, program, why, now);
  if (!vanishes_with.empty()) store_.groups.set_blamed_pass(finding->id, program, vanishes_with, now);
  return true;
}

std::vector<store::FindingRow> SameCause::of_kin_kinds(oracle::Kind kind, const std::string& device) const {
  std::vector<store::FindingRow> all;
  for (const auto each : kin_kinds(kind)) {
    for (auto& finding :
         store_.findings.list({.kind = std::string(oracle::name(each)), .device = device, .limit = 0})) {
      if (each == kind || blames_operators(finding)) all.push_back(std::move(finding));
    }
  }
  return all;
}

std::vector<store::FindingRow> SameCause::nearest(store::Id program, std::size_t most) const {
  const Observed& look = observer_.of(program).controls;
  const auto own = store::operators_shown(look.shown.evidence);
  if (!look.shows || own.empty()) return {};
  const oracle::Kind kind = *look.shown.verdict.kind;
  std::vector<std::string> kinds;
  for (const auto each : kin_kinds(kind)) kinds.emplace_back(oracle::name(each));
  const std::string told = told_by_error(kind, look.shown.evidence);
  std::vector<store::FindingRow> found;
  for (const store::Id id : store_.findings.sharing(own, kinds, look.environment.device)) {
    auto finding = store_.findings.find(id).value();
    // Vanishing with a known issue's neutraliser does not make a program known.
    if ((finding.kind == kind || blames_operators(finding)) && oracle::known_issue(finding.signature) == 0 &&
        finding.signature.text.find(told) != std::string::npos) {
      found.push_back(std::move(finding));
    }
    if (found.size() == most) break;
  }
  return found;
}

std::optional<SameCause::Home> SameCause::home_of(const store::FindingRow& finding, const oracle::Shown& shown,
                                                  bool reduced) const {
  if (auto existing = store_.findings.by_signature(finding.signature.hash)) {
    return Home{.finding = existing->id,
                .why = fmt::format("{}, it has the same signature: {}", reduced ? "reduced" : "confirmed",
                                   finding.signature.text)};
  }
  if (oracle::known_issue(finding.signature) != 0) return std::nullopt;
  auto home = sibling(finding, shown);
  return home ? home : kin(finding, shown);
}

/// Operators implemented by the same part of the compiler fail alike: if an operator that was tried instead of this one
/// failed and has a finding of its own, it is the same finding. Missing checks are distinguished by operator.
std::optional<SameCause::Home> SameCause::sibling(const store::FindingRow& finding, const oracle::Shown& shown) const {
  const auto extent = store_.reductions.extent(finding.program);
  const auto blamed = oracle::neutralisers_from_line(finding.neutraliser);
  if (!extent || !blamed || blamed->size() != 1 || finding.kind == oracle::Kind::missing_check) return std::nullopt;
  for (const std::string& name : store::values_failing(*extent, "operators")) {
    const oracle::Neutraliser other{.kind = blamed->front().kind, .name = "aten." + name};
    const auto signature = oracle::final_signature(shown, finding.device, oracle::line({other}));
    if (auto existing = store_.findings.by_signature(signature.hash)) {
      return Home{.finding = existing->id,
                  .why = fmt::format("with {} instead of its operator it fails too, like finding {}: {}", name,
                                     existing->id, signature.text)};
    }
  }
  return mutual_sibling(finding, *extent);
}

/// Each finding fails with the other's operator instead of its own, for the same dtype. Their results may have
/// different dtype classes, for example if one is cast. Errors are compared by their text; failing alone is not enough.
std::optional<SameCause::Home> SameCause::mutual_sibling(const store::FindingRow& finding,
                                                         const store::ExtentRow& extent) const {
  const auto own = blamed_operator(finding);
  if (!own || !oracle::results_differ(finding.kind) || !is_about(extent, own->name)) return std::nullopt;
  const auto dtypes = store::values_failing(extent, "dtypes");
  for (const auto& other : of_kin_kinds(finding.kind, finding.device)) {
    const auto theirs = blamed_operator(other);
    if (!theirs || theirs->kind != own->kind || theirs->name == own->name || !shown_alike(other, finding) ||
        oracle::known_issue(other.signature) != 0 || !fails_with(extent, "operators", theirs->name)) {
      continue;
    }
    const auto other_extent = store_.reductions.extent(other.program);
    if (other_extent && is_about(*other_extent, theirs->name) && fails_with(*other_extent, "operators", own->name) &&
        std::ranges::any_of(dtypes, [&](const auto& dtype) { return fails_with(*other_extent, "dtypes", dtype); })) {
      return Home{
          .finding = other.id,
          .why = fmt::format(
              "with {} instead of its operator it fails too, and so does finding {} with {} instead of its operator",
              theirs->name, other.id, own->name)};
    }
  }
  return std::nullopt;
}

/// Confirmed at the same time as another finding with the same neutraliser: had it come later, that neutraliser would
/// have been tried. A setting or a group of passes removes many causes: then the error must be the same too, or most
/// operators.
std::optional<SameCause::Home> SameCause::kin(const store::FindingRow& finding, const oracle::Shown& shown) const {
  if (finding.neutraliser.empty()) return std::nullopt;
  const bool one_operator = blames_operators(finding);
  const std::string refusal = finding.kind == oracle::Kind::missing_check ? oracle::refusal(shown.evidence) : "";
  const std::set<std::string> own(finding.operators.begin(), finding.operators.end());
  const auto alike = [&](const store::FindingRow& other) {
    if (oracle::fails(finding.kind)) return other.explanation == finding.explanation;
    const std::set<std::string> theirs(other.operators.begin(), other.operators.end());
    const auto shared = std::ranges::count_if(theirs, [&](const auto& name) { return own.contains(name); });
    return one_operator || 2 * static_cast<std::size_t>(shared) > std::min(own.size(), theirs.size());
  };
  for (const auto& other : of_kin_kinds(finding.kind, finding.device)) {
    if (oracle::known_issue(other.signature) == 0 && other.neutraliser == finding.neutraliser &&
        shown_alike(other, finding) && other.signature.text.find(refusal) != std::string::npos && alike(other)) {
      return Home{.finding = other.id,
                  .why = fmt::format("confirmed alongside finding {}, it vanishes with its neutraliser: {}", other.id,
                                     finding.neutraliser)};
    }
  }
  return std::nullopt;
}

}  // namespace parityd::agent
