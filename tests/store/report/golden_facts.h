// Findings with all the facts a draft can show, one of each kind. For tests only.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "oracle/rules/neutraliser.h"
#include "store/base/operator_names.h"
#include "tests/store/facts.h"

namespace parityd::tests {

inline std::string golden_program(const std::string& body, const std::string& inputs) {
  return fmt::format(
      "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        {}\n\n\n"
      "def get_inputs():\n    return [{}]\n",
      body, inputs);
}

/// Makes the compared leaf one of this name, type and worst element.
inline void put_leaf(store::DraftFacts& facts, const oracle::LeafMeasurement& leaf) {
  store::EvidenceRow& round = facts.rounds.front();
  round.verdict.leaves = {leaf.path};
  round.evidence.measurements.clear();
  oracle::LeafMeasurement eager = leaf;
  eager.worst.reset();
  eager.rms_difference = 0.0001;
  oracle::LeafMeasurement compiled = leaf;
  compiled.worst.reset();
  round.evidence.measurements = {{.expected = oracle::Mode::eager, .actual = oracle::Mode::inductor, .leaves = {leaf}}};
  if (leaf.metadata_differs()) return;
  round.evidence.measurements.push_back(
      {.expected = oracle::Mode::reference, .actual = oracle::Mode::eager, .leaves = {eager}});
  round.evidence.measurements.push_back(
      {.expected = oracle::Mode::reference, .actual = oracle::Mode::inductor, .leaves = {compiled}});
}

inline oracle::LeafMeasurement golden_leaf(const std::string& path, oracle::LeafGroup group,
                                           oracle::WorstElement worst) {
  oracle::LeafMeasurement leaf;
  leaf.path = path;
  leaf.group = group;
  leaf.elements = 4;
  leaf.unequal = 2;
  leaf.max_absolute = 3;
  leaf.max_relative = 0.75;
  leaf.rms_difference = 2.5;
  leaf.exceeds_tolerance = true;
  leaf.detail = "2 of 4 elements differ, by at most 3";
  leaf.worst = std::move(worst);
  return leaf;
}

inline void put_values(store::DraftFacts& facts, oracle::Kind kind) {
  using oracle::LeafGroup;
  oracle::Evidence& evidence = facts.rounds.front().evidence;
  if (kind == oracle::Kind::numerical) {
    put_leaf(facts, golden_leaf("output[0]", LeafGroup::output,
                                {.index = {0, 2}, .eager = "1.0", .compiled = "4.0", .reference = "1.0"}));
    evidence.same_detail = "output[0]: farther from float64 than eager";
  } else if (kind == oracle::Kind::gradient) {
    put_leaf(facts, golden_leaf("gradient.input[0]", LeafGroup::gradient,
                                {.index = {2}, .eager = "1.0", .compiled = "4.0", .reference = "1.0"}));
    evidence.same = true;
  } else if (kind == oracle::Kind::mutation) {
    put_leaf(facts, golden_leaf("input_after[0]", LeafGroup::input_after,
                                {.index = {2}, .eager = "1.0", .compiled = "4.0", .reference = "1.0"}));
    evidence.same = true;
  } else if (kind == oracle::Kind::metadata) {
    oracle::LeafMeasurement leaf;
    leaf.path = "output";
    leaf.elements = 4;
    leaf.dtype_differs = true;
    leaf.dtype = oracle::Dtype::int64;
    leaf.detail = "dtype int64 vs int32";
    put_leaf(facts, leaf);
    evidence.same = false;
    evidence.same_detail = "output: other dtype";
  }
}

inline std::string program_of(oracle::Kind kind) {
  switch (kind) {
    case oracle::Kind::numerical:
      return golden_program("return [torch.softmax(x, 1).mul(x)]", "torch.randn(2, 4)");
    case oracle::Kind::behaviour:
      return golden_program("return torch.log2(torch.full_like(x, float(\"nan\")))", "torch.randn(4)");
    case oracle::Kind::missing_check:
      return golden_program("return x.index_add(0, torch.tensor([-1]), x[:1])", "torch.randn(4)");
    case oracle::Kind::metadata:
      return golden_program("return x.sum(0)", "torch.ones(2, 4, dtype=torch.int32)");
    case oracle::Kind::mutation:
      return golden_program("x.clamp_(max=1)\n        return x * 2", "torch.arange(4.0)");
    case oracle::Kind::gradient:
      return golden_program("return torch.nn.functional.hardswish(x)", "torch.tensor([-4.0, -3.0, 3.0, 4.0])");
    case oracle::Kind::crash:
      return golden_program("return torch.nn.functional.fold(x, (2, 2), 2)", "torch.randn(1, 4, 1)");
    case oracle::Kind::hang:
      return golden_program("return torch.einsum(\"i,i->\", x, x)", "torch.randn(4)");
  }
  return {};
}

inline std::string explanation_of(oracle::Kind kind) {
  switch (kind) {
    case oracle::Kind::behaviour:
      return "eager runs, compiled raises AssertionError";
    case oracle::Kind::missing_check:
      return "eager raises RuntimeError in forward, compiled accepts";
    case oracle::Kind::metadata:
      return "output: dtype int64 vs int32";
    case oracle::Kind::crash:
      return "The compiled program is killed by signal 11 (SIGSEGV)";
    case oracle::Kind::hang:
      return "compiled did not end within its deadline";
    default:
      return "2 of 4 elements differ by at most 3, in double too";
  }
}

/// As the attributor stores it: an operator where one makes it vanish, a setting for the other kinds.
inline store::AttributionRow golden_attribution(oracle::Kind kind) {
  using oracle::NeutraliserKind;
  oracle::Neutraliser blamed{.kind = NeutraliserKind::config, .name = "inductor.max_fusion_size", .value = "1"};
  if (kind == oracle::Kind::metadata) blamed = {.kind = NeutraliserKind::lowering, .name = "aten.sum.dim_IntList"};
  if (kind == oracle::Kind::gradient) {
    blamed = {.kind = NeutraliserKind::decomposition, .name = "aten.hardswish_backward.default"};
  }
  const oracle::Neutraliser other{.kind = NeutraliserKind::config, .name = "inductor.cpp.simdlen", .value = "1"};
  const auto workaround = oracle::workaround(blamed, "2.13.0", program_of(kind)).value();
  return {.neutraliser = oracle::line({blamed}),
          .words = oracle::text({blamed}),
          .workaround = workaround.python,
          .caveat = workaround.caveat,
          .ablations_json = nlohmann::json({{{"words", ""}, {"answer", "still"}},
                                            {{"words", oracle::text(other)}, {"answer", "still"}},
                                            {{"words", oracle::text(blamed)}, {"answer", "gone"}}})
                                .dump(),
          .runs = 9};
}

inline store::DraftFacts golden_facts(oracle::Kind kind) {
  const std::string program = program_of(kind);
  store::DraftFacts facts = facts_of(kind, program, kind == oracle::Kind::gradient ? R"({"backward": true})" : "{}");
  facts.finding.explanation = explanation_of(kind);
  facts.finding.trigger = oracle::Trigger::ordinary;
  facts.finding.signature.text = fmt::format("{} inductor cpu", oracle::name(kind));
  auto& compiled = facts.rounds.front().evidence.outcomes[oracle::Mode::inductor];
  compiled.operators = store::called_names(program);
  if (compiled.error) compiled.error->message = "LoweringException: AssertionError: NaN is not comparable";
  if (kind == oracle::Kind::missing_check) {
    facts.rounds.front().evidence.outcomes[oracle::Mode::eager].error->user_operator = "index_add";
  }
  facts.environment.sandbox = "full: seccomp, landlock";
  put_values(facts, kind);
  facts.attribution = golden_attribution(kind);
  if (kind == oracle::Kind::metadata) {
    facts.suspicion =
        store::Suspicion{.hypothesis = "_inductor/lowering.py:sum_:6100: the dtype of an int32 sum is not promoted",
                         .strategy = "source",
                         .torch = "2.13.0",
                         .place = store::SourcePlace{.file = "_inductor/lowering.py", .function = "sum_", .line = 6100},
                         .agreement = store::Agreement::agrees};
  }
  facts.extent = "Seen with float32 and float64, from 3 columns on, on the CPU only.";
  return facts;
}

}  // namespace parityd::tests
