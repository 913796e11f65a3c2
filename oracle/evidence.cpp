#include "oracle/evidence.h"

#include <algorithm>

#include "oracle/compare.h"
#include "oracle/noise.h"

namespace parityd::oracle {
namespace {

const RunRecord* ran_record(const std::vector<RunRecord>& records, Mode mode) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const RunRecord& record) {
    return record.mode == mode && record.outcome.kind == OutcomeKind::ran;
  });
  return found == records.end() ? nullptr : &*found;
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

Evidence evidence_from(Mode compiled, const std::vector<RunRecord>& records) {
  Evidence evidence;
  evidence.compiled = compiled;
  for (const RunRecord& record : records) evidence.outcomes.insert_or_assign(record.mode, record.outcome);
  for (const auto& [expected, actual] : pairs_to_measure(compiled)) {
    const RunRecord* const expected_record = ran_record(records, expected);
    const RunRecord* const actual_record = ran_record(records, actual);
    if (expected_record != nullptr && actual_record != nullptr) {
      evidence.measurements.push_back(compare(*expected_record, *actual_record));
    }
  }
  const RunRecord* const eager = ran_record(records, Mode::eager);
  const RunRecord* const noise = ran_record(records, Mode::eager_noise);
  for (Measurement& measurement : evidence.measurements) {
    const RunRecord* const actual = ran_record(records, measurement.actual);
    const bool asked = measurement.expected == Mode::eager && measurement.actual == compiled;
    if (asked && noise != nullptr) count_beyond_noise(measurement, *eager, *actual, *noise);
  }
  return evidence;
}

}  // namespace parityd::oracle
