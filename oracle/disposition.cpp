#include "oracle/disposition.h"

#include <algorithm>
#include <array>

namespace parityd::oracle {
namespace {

constexpr int kLostValidation = 197554;  // umbrella issue: eager raises, compiled accepts
constexpr int kLostDtypeCheck = 198155;  // umbrella issue: operators accepted for dtypes eager does not implement

struct Question {
  const Verdict& verdict;
  const Evidence& evidence;
  const InputFacts& inputs;
};

using Answer = std::optional<Disposition>;

Disposition ready(int severity) { return {Disposition::Class::ready, severity, 0, ""}; }
Disposition umbrella(int issue) { return {Disposition::Class::umbrella, 0, issue, ""}; }
Disposition held(std::string reason) { return {Disposition::Class::held, 0, 0, std::move(reason)}; }

/// Whether all leaves of the verdict have one of the facts and nothing worse.
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
bool only_layout(const LeafMeasurement& leaf) {
  return (leaf.stride_differs || leaf.alias_differs) && !worse_than_layout(leaf);
}

// ---- the table of DESIGN §5, a row a function

Answer eager_is_wrong(const Question& question) {
  const Outcome* const eager = question.evidence.outcome(Mode::eager);
  const bool died = eager != nullptr && eager->kind == OutcomeKind::died;
  if (question.verdict.kind != Kind::missing_check || !died) return std::nullopt;
  return held("eager");
}

Answer dtype_check_lost(const Question& question) {
  const Outcome* const eager = question.evidence.outcome(Mode::eager);
  if (question.verdict.kind != Kind::missing_check || eager == nullptr || !eager->error) return std::nullopt;
  const bool unimplemented = eager->error->message.find("not implemented for '") != std::string::npos;
  return unimplemented ? Answer(umbrella(kLostDtypeCheck)) : std::nullopt;
}

Answer check_lost(const Question& question) {
  if (question.verdict.kind != Kind::missing_check) return std::nullopt;
  return umbrella(kLostValidation);
}

Answer strides_alone(const Question& question) {
  const bool by_layout = question.verdict.rule == "metadata.stride" || question.verdict.rule == "metadata.aliasing";
  return by_layout && all_leaves(question, only_strides) ? Answer(held("stride")) : std::nullopt;
}

/// The same leaves agree once subnormal inputs are normal.
Answer subnormal_only(const Question& question) {
  const Measurement* const normal = question.evidence.measurement(Mode::eager_normal, Mode::inductor_normal);
  if (normal == nullptr || question.verdict.leaves.empty()) return std::nullopt;
  const bool gone =
      std::all_of(question.verdict.leaves.begin(), question.verdict.leaves.end(), [&](const std::string& path) {
        const LeafMeasurement* const leaf = normal->find(path);
        return leaf != nullptr && !leaf->values_differ() && !worse_than_layout(*leaf);
      });
  return gone ? Answer(held("subnormal")) : std::nullopt;
}

Answer edge_inputs(const Question& question) { return question.inputs.edge() ? Answer(held("edge")) : std::nullopt; }

Answer aliasing(const Question& question) {
  const bool by_layout = question.verdict.rule == "metadata.stride" || question.verdict.rule == "metadata.aliasing";
  return by_layout && all_leaves(question, only_layout) ? Answer(ready(2)) : std::nullopt;
}

Answer fails_to_run(const Question& question) {
  const auto kind = question.verdict.kind;
  const bool fails = kind == Kind::behaviour || kind == Kind::crash || kind == Kind::hang;
  return fails ? Answer(ready(2)) : std::nullopt;
}

using Row = Answer (*)(const Question&);
constexpr std::array<Row, 8> kTable{eager_is_wrong, dtype_check_lost, check_lost, strides_alone,
                                    subnormal_only, edge_inputs,      aliasing,   fails_to_run};

}  // namespace

std::string Disposition::text() const {
  switch (klass) {
    case Class::ready:
      return "ready";
    case Class::umbrella:
      return "umbrella(" + std::to_string(umbrella_issue) + ")";
    case Class::held:
      break;
  }
  return "held(" + reason + ")";
}

Disposition disposition_of(const Verdict& verdict, const Evidence& evidence, const InputFacts& inputs) {
  const Question question{verdict, evidence, inputs};
  for (const Row row : kTable) {
    if (auto answer = row(question)) return *answer;
  }
  return ready(1);  // wrong values, gradients, mutation, shape, dtype, requires_grad
}

}  // namespace parityd::oracle
