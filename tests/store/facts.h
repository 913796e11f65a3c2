// Hand-made facts of a finding, for drafts and repro scripts. For tests only.
#pragma once

#include <string>
#include <utility>

#include "store/report/draft.h"

namespace parityd::tests {

inline oracle::LeafMeasurement differing_leaf(const std::string& path) {
  oracle::LeafMeasurement leaf;
  leaf.path = path;
  leaf.dtype = oracle::Dtype::int8;
  leaf.elements = 4;
  leaf.unequal = 2;
  leaf.max_absolute = 3;
  leaf.max_relative = 1;
  leaf.rms_difference = 2.5;
  leaf.detail = "2 of 4 elements differ";
  return leaf;
}

/// A finding of this kind on the CPU, confirmed three times, first seen at the inductor stage.
inline store::DraftFacts facts_of(oracle::Kind kind, std::string program, std::string options = "{}") {
  using oracle::Mode;
  using oracle::OutcomeKind;
  store::DraftFacts facts;
  facts.finding.kind = kind;
  facts.finding.signature = {.text = "numerical inductor aten.max.default int8 cpu", .hash = "0123456789abcdef"};
  facts.finding.disposition = {};
  facts.finding.reduced = std::move(program);
  facts.finding.explanation = "output[0] differs in 2 of 4 elements";
  facts.finding.device = "cpu";
  facts.finding.torch = "2.13.0";
  facts.finding.hits = facts.finding.rounds = 3;
  facts.environment = {.torch = "2.13.0", .python = "3.11", .device = "cpu", .text = "PyTorch version: 2.13.0+cpu\n"};
  facts.options_json = std::move(options);

  store::EvidenceRow round{.purpose = store::Examination::confirmation, .round = 1};
  round.verdict = {.verdict = oracle::VerdictKind::inconsistent, .kind = kind};
  auto& outcomes = round.evidence.outcomes;
  outcomes[Mode::eager] = {.kind = OutcomeKind::ran};
  outcomes[Mode::inductor] = {.kind = OutcomeKind::ran, .operators = {"aten.max.default", "aten.view.default"}};
  oracle::ErrorReport error{.outer_class = "InductorError",
                            .inner_class = "AssertionError",
                            .message = "lowering of x failed",
                            .traceback = "Traceback (most recent call last):\n  AssertionError: lowering of x failed"};
  switch (kind) {
    case oracle::Kind::behaviour:
      outcomes[Mode::inductor].kind = OutcomeKind::raised;
      outcomes[Mode::inductor].error = error;
      break;
    case oracle::Kind::missing_check:
      error.outer_class = error.inner_class = "RuntimeError";
      error.message = error.traceback = "index out of range";
      outcomes[Mode::eager].kind = OutcomeKind::raised;
      outcomes[Mode::eager].error = error;
      break;
    case oracle::Kind::crash:
      outcomes[Mode::inductor].kind = OutcomeKind::died;
      outcomes[Mode::inductor].signal = 11;
      outcomes[Mode::inductor].native_frame = "at::native::max_kernel";
      break;
    case oracle::Kind::hang:
      outcomes[Mode::inductor].kind = OutcomeKind::hung;
      break;
    default:
      round.verdict.leaves = {"output[0]"};
      outcomes[Mode::reference] = {.kind = OutcomeKind::ran};
      round.evidence.same = false;
      round.evidence.measurements = {
          {.expected = Mode::eager, .actual = Mode::inductor, .leaves = {differing_leaf("output[0]")}},
          {.expected = Mode::reference, .actual = Mode::inductor, .leaves = {differing_leaf("output[0]")}}};
      oracle::Evidence stages;
      for (const Mode mode : {Mode::dynamo_eager, Mode::aot_eager, Mode::aot_eager_decomp_partition}) {
        stages.outcomes[mode] = {.kind = OutcomeKind::ran};
        stages.measurements.push_back({.expected = Mode::eager, .actual = mode, .leaves = {}});
      }
      facts.stages = stages;
  }
  facts.rounds = {round};
  return facts;
}

}  // namespace parityd::tests
