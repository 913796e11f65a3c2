#include "agent/daemon/program/recheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <nlohmann/json.hpp>

#include "oracle/json_read.h"
#include "store/findings/version_range.h"
#include "store/report/draft.h"

namespace parityd::agent {
namespace {

using oracle::Kind;

/// The class of the error that the kind is about; empty: none.
std::string error_class_of(const oracle::Shown& shown) {
  const bool eager = shown.verdict.kind == Kind::missing_check;
  const auto* const outcome = shown.evidence.outcome(eager ? oracle::Mode::eager : shown.evidence.compiled);
  return outcome != nullptr && outcome->error ? outcome->error->inner_class : "";
}

}  // namespace

RecheckCase recheck_case(const store::Store& store, const store::FindingRow& finding, executor::GroupIndex group) {
  const auto facts = store::draft_facts(store, finding, 0);
  RecheckCase found{
      .subject = {.program = finding.id, .text = finding.reduced, .options_json = facts.options_json, .group = group},
      .known = {.verdict = {.verdict = oracle::VerdictKind::inconsistent, .kind = finding.kind},
                .evidence = {},
                .stage = finding.stage}};
  if (const store::EvidenceRow* const shown = store::shown_round(facts)) {
    found.known.verdict = shown->verdict;
    found.known.evidence = shown->evidence;
  }
  return found;
}

std::optional<std::string> why_not_there(const oracle::Shown& known, const oracle::Shown& there) {
  const auto kind = there.verdict.kind.value_or(Kind::numerical);
  if (there.verdict.verdict != oracle::VerdictKind::inconsistent) {
    return fmt::format("{} there: {}", name(there.verdict.verdict), there.verdict.explanation);
  }
  if (kind != known.verdict.kind) {
    return fmt::format("a different kind there, {}: {}", name(kind), there.verdict.explanation);
  }
  const std::string known_class = error_class_of(known), class_there = error_class_of(there);
  if (!known_class.empty() && known_class != class_there) {
    return fmt::format("a different error there, {}: {}", class_there.empty() ? "none" : class_there,
                       there.verdict.explanation);
  }
  const std::string known_dtypes = oracle::dtype_class_of(known.verdict, known.evidence);
  const std::string dtypes_there = oracle::dtype_class_of(there.verdict, there.evidence);
  if (oracle::results_differ(kind) && !known_dtypes.empty() && known_dtypes != dtypes_there) {
    return fmt::format("a different class of dtypes there, {}: {}", dtypes_there, there.verdict.explanation);
  }
  return std::nullopt;
}

void Recheck::on_result(const Examined& round) {
  if (!round.harness_failure.empty()) {
    harness_failure_ = round.harness_failure;
    return;
  }
  ++rounds_;
  if (is_faultless(round.verdict.verdict)) ++faultless_;
  const auto why = why_not_there(known_, {.verdict = round.verdict, .evidence = round.evidence});
  if (!why) {
    ++hits_;
  } else if (round.verdict.verdict == oracle::VerdictKind::consistent) {
    ++consistent_;
  } else if (other_.empty()) {
    other_ = *why;
  }
}

store::RecheckRow Recheck::result() const {
  store::RecheckRow row{.hits = hits_, .rounds = rounds_};
  if (!harness_failure_.empty()) {
    row.reason = "parityd itself failed, not the program: " + harness_failure_;
    return row;
  }
  row.result = hits_ == wanted_         ? store::RecheckResult::still
               : consistent_ == wanted_ ? store::RecheckResult::gone
                                        : store::RecheckResult::different;
  if (row.result == store::RecheckResult::gone) {
    row.reason = fmt::format("consistent in {} of {} rounds", consistent_, rounds_);
  } else if (row.result == store::RecheckResult::still || other_.empty()) {
    row.reason = fmt::format("{} of {} rounds show it", hits_, rounds_);
  } else {
    row.reason = other_;
  }
  return row;
}

bool is_newest(const std::string& torch, const std::string& newest, const std::vector<std::string>& known) {
  if (!newest.empty()) return torch == newest;
  return std::ranges::all_of(known,
                             [&](const auto& other) { return std::is_gteq(store::compare_torch(torch, other)); });
}

store::RecheckRow recheck_row(const Recheck& recheck, store::Id finding, const executor::Workers& pool,
                              executor::GroupIndex group, const std::string& built_for, store::Millis now) {
  const auto hello = pool.hello(group);
  store::RecheckRow row = recheck.result();
  row.finding = finding;
  row.torch = hello ? hello->torch : built_for;
  row.python = hello ? hello->python : "";
  const auto device = pool.config(group).device;
  row.device = name(device);
  row.device_name = hello ? hello->device_name(device) : "";
  row.at = now;
  return row;
}

bool is_elsewhere(const store::RecheckRow& row, const store::FindingRow& finding, const std::string& found_on) {
  const bool models_known = !row.device_name.empty() && !found_on.empty();
  return row.device != finding.device || (row.torch == finding.torch && models_known && row.device_name != found_on);
}

nlohmann::json json_of(const store::RecheckRow& row) {
  return {{"finding", row.finding},
          {"torch", row.torch},
          {"python", row.python},
          {"device", row.device},
          {"device_name", row.device_name},
          {"elsewhere", row.elsewhere},
          {"newest", row.newest},
          {"result", name(row.result)},
          {"hits", row.hits},
          {"rounds", row.rounds},
          {"reason", row.reason}};
}

}  // namespace parityd::agent
