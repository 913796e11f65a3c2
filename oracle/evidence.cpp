#include "oracle/evidence.h"

#include <algorithm>

#include "oracle/compare.h"
#include "oracle/noise.h"

namespace parityd::oracle {
namespace {

const RunRecord* record_of(const std::vector<const RunRecord*>& records, Mode mode) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const RunRecord* record) { return record->mode == mode; });
  return found == records.end() ? nullptr : *found;
}

using Pair = std::pair<Mode, Mode>;

/// The record that is to be compared with eager and with the reference, as those two are with each other; or null.
const RunRecord* third_of(const std::vector<const RunRecord*>& records, const std::vector<Pair>& pairs) {
  const auto asked = [&](Mode expected, Mode actual) {
    return std::find(pairs.begin(), pairs.end(), Pair{expected, actual}) != pairs.end();
  };
  if (record_of(records, Mode::eager) == nullptr || record_of(records, Mode::reference) == nullptr) return nullptr;
  if (!asked(Mode::reference, Mode::eager)) return nullptr;
  const auto found = std::find_if(records.begin(), records.end(), [&](const RunRecord* record) {
    return asked(Mode::eager, record->mode) && asked(Mode::reference, record->mode);
  });
  return found == records.end() ? nullptr : *found;
}

std::string way_of(const Outcome* outcome) {
  return outcome == nullptr || outcome->double_way.empty() ? "no way" : outcome->double_way;
}

/// The two double runs are of one program only if both went one way. If not, there is no double run to ask: the
/// compiled one goes, outcome and record.
void keep_one_double_way(Evidence& evidence, std::vector<const RunRecord*>& ran) {
  const Outcome* const reference = evidence.outcome(Mode::reference);
  const Outcome* const compiled = evidence.outcome(Mode::inductor_fp64);
  if (compiled != nullptr && way_of(compiled) != way_of(reference)) {
    evidence.warnings.push_back("no double run: reference went " + way_of(reference) + ", inductor_fp64 went " +
                                way_of(compiled));
    evidence.outcomes.erase(Mode::inductor_fp64);
    ran.erase(std::remove_if(ran.begin(), ran.end(),
                             [](const RunRecord* record) { return record->mode == Mode::inductor_fp64; }),
              ran.end());
  } else if (evidence.ran(Mode::reference) && !reference->double_way.empty()) {
    evidence.warnings.push_back("double run: " + reference->double_way);
  }
}

}  // namespace

const Outcome* Evidence::outcome(Mode mode) const {
  const auto found = outcomes.find(mode);
  return found == outcomes.end() ? nullptr : &found->second;
}

bool Evidence::ran(Mode mode) const {
  const Outcome* const found = outcome(mode);
  return found != nullptr && found->kind == OutcomeKind::ran;
}

const Measurement* Evidence::measurement(Mode expected, Mode actual) const {
  const auto found = std::find_if(measurements.begin(), measurements.end(), [&](const Measurement& candidate) {
    return candidate.expected == expected && candidate.actual == actual;
  });
  return found == measurements.end() ? nullptr : &*found;
}

std::vector<std::pair<Mode, Mode>> pairs_to_measure(Mode compiled) {
  std::vector<std::pair<Mode, Mode>> pairs{
      {Mode::eager, compiled},
      {Mode::eager, Mode::eager_repeat},
      {Mode::eager, Mode::eager_noise},
      {Mode::eager, Mode::inductor_precise},
      {Mode::eager_normal, Mode::inductor_normal},
      {Mode::reference, Mode::inductor_fp64},
      {Mode::reference, Mode::eager},
      {Mode::reference, compiled},
  };
  for (const Mode ladder : {Mode::dynamo_eager, Mode::aot_eager, Mode::aot_eager_decomp_partition}) {
    if (ladder != compiled) pairs.emplace_back(Mode::eager, ladder);
  }
  return pairs;
}

PairsMeasured measure_pairs(const std::vector<const RunRecord*>& records, const std::vector<Pair>& pairs) {
  PairsMeasured result;
  const RunRecord* const third = third_of(records, pairs);
  std::map<Pair, Measurement> ready;
  if (third != nullptr) {
    Measured measured = compare(*record_of(records, Mode::eager), *third, *record_of(records, Mode::reference));
    ready.emplace(Pair{Mode::eager, third->mode}, std::move(measured.compiled));
    ready.emplace(Pair{Mode::reference, Mode::eager}, std::move(measured.eager_reference));
    ready.emplace(Pair{Mode::reference, third->mode}, std::move(measured.compiled_reference));
    result.same = std::move(measured.same);
  }
  for (const auto& [expected, actual] : pairs) {
    const RunRecord* const expected_record = record_of(records, expected);
    const RunRecord* const actual_record = record_of(records, actual);
    if (expected_record == nullptr || actual_record == nullptr) continue;
    const auto known = ready.find({expected, actual});
    result.measurements.push_back(known != ready.end() ? known->second : compare(*expected_record, *actual_record));
  }
  return result;
}

Evidence evidence_from(Mode compiled, const std::vector<RunRecord>& records) {
  Evidence evidence;
  evidence.compiled = compiled;
  std::vector<const RunRecord*> ran;
  for (const RunRecord& record : records) {
    evidence.outcomes.insert_or_assign(record.mode, record.outcome);
    if (record.outcome.kind == OutcomeKind::ran) ran.push_back(&record);
  }
  keep_one_double_way(evidence, ran);
  PairsMeasured measured = measure_pairs(ran, pairs_to_measure(compiled));
  evidence.measurements = std::move(measured.measurements);
  const RunRecord* const eager = record_of(ran, Mode::eager);
  const RunRecord* const actual = record_of(ran, compiled);
  if (!measured.same && eager != nullptr && actual != nullptr)
    measured.same = same(*eager, *actual, nullptr, measure_leaves(*eager, *actual, nullptr));
  if (measured.same) {
    evidence.same = measured.same->verdict;
    evidence.same_detail = std::move(measured.same->detail);
  }
  const RunRecord* const noise = record_of(ran, Mode::eager_noise);
  for (Measurement& measurement : evidence.measurements) {
    const bool asked = measurement.expected == Mode::eager && measurement.actual == compiled;
    if (asked && noise != nullptr) count_beyond_noise(measurement, *eager, *actual, *noise);
  }
  return evidence;
}

}  // namespace parityd::oracle
