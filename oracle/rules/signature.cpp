#include "oracle/rules/signature.h"

#include <re2/re2.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "oracle/rules/excuses.h"
#include "oracle/rules/message.h"
#include "oracle/rules/neutraliser.h"
#include "oracle/rules/rules.h"

namespace parityd::oracle {
namespace {

const std::string kSeparator = " | ";
const std::string kLayout = "layout";
const std::string kKnown = "known";
const std::string kZeroSign = "sign of a zero";
const std::string kCaught = "fake tensors: an error that the program catches";

bool kind_is(const Evidence& evidence, Mode mode, OutcomeKind kind) {
  const Outcome* const outcome = evidence.outcome(mode);
  return outcome != nullptr && outcome->kind == kind;
}

bool leaf_differs_alike(const LeafMeasurement& leaf, const Verdict& verdict) {
  if (rules::is_about_layout(verdict) || known_fault(verdict.rule) != nullptr)
    return leaf.stride_differs || leaf.alias_differs;
  return verdict.rule == "metadata.exact" || verdict.rule == "metadata.zero_sign" ? leaf.metadata_differs()
                                                                                  : leaf.values_differ();
}

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(separator)) + part;
  return text;
}

/// "aten.add.Tensor" as "add.Tensor", "aten.relu.default" as "relu".
std::string short_operator(std::string name) {
  constexpr std::string_view kLibrary = "aten.";
  constexpr std::string_view kOverload = ".default";
  if (name.starts_with(kLibrary)) name.erase(0, kLibrary.size());
  if (name.ends_with(kOverload)) name.erase(name.size() - kOverload.size());
  return name;
}

/// Sorted and unique.
std::vector<std::string> operator_names(const Evidence& evidence) {
  std::vector<std::string> names;
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled == nullptr) return names;
  for (const std::string& full : compiled->operators) names.push_back(short_operator(full));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string operators_of(const Evidence& evidence) { return joined(operator_names(evidence), ","); }

/// "aten.max.dim" as "max": overloads of one operator share a lowering.
std::string packet(const std::string& full) {
  const std::string name = short_operator(full);
  return name.substr(0, name.find('.'));
}

std::string_view dtype_class(Dtype dtype) {
  if (dtype == Dtype::boolean) return "bool";
  if (is_complex(dtype)) return "complex";
  if (!is_floating(dtype)) return "integer";
  return dtype == Dtype::float32 || dtype == Dtype::float64 ? "float" : "low_precision";
}

using Parts = std::vector<std::string>;

enum class Graph { told, left_out };

/// `blamed`: the operators without which nothing is wrong; empty if unknown. If nothing better distinguishes two
/// crashes or hangs, the step and the operators do: all of the graph's, unless smaller programs are to compare equal
/// (Graph::left_out).
Parts parts_of(const Verdict& verdict, const Evidence& evidence, Stage stage, const std::string& blamed = "",
               Graph graph = Graph::told) {
  const Outcome* const eager = evidence.outcome(Mode::eager);
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  const std::string operators = blamed.empty() && graph == Graph::told ? operators_of(evidence) : blamed;
  switch (verdict.kind.value_or(Kind::numerical)) {
    case Kind::behaviour:
      if (compiled != nullptr && compiled->error) return error_parts(*compiled->error);
      break;
    case Kind::missing_check:
      if (eager != nullptr && eager->error) {
        const std::string called = dispatcher_name(eager->error->user_operator);
        return {blamed.empty() && !called.empty() ? called : operators, refusal(evidence)};
      }
      if (eager != nullptr && eager->kind == OutcomeKind::died) {
        Parts parts = death_parts(*eager);
        parts.push_back(operators);
        return parts;
      }
      break;
    case Kind::crash:
      if (compiled != nullptr) {
        Parts parts = death_parts(*compiled);
        if (compiled->native_frame.empty()) parts.push_back(operators);
        return parts;
      }
      break;
    case Kind::hang:
      if (compiled != nullptr) return {std::string(name(compiled->step)), operators};
      break;
    default:
      break;
  }
  // If one operator has a wrong layout, shape or dtype, it has so for every class of dtypes.
  const bool every_dtype = verdict.kind == Kind::metadata && !blamed.empty();
  return {std::string(name(stage)), operators, every_dtype ? "" : dtype_class_of(verdict, evidence),
          rules::is_about_layout(verdict)      ? kLayout
          : rules::is_about_zero_sign(verdict) ? kZeroSign
                                               : ""};
}

std::string hash_of(const std::string& text) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size())));
  return {digits.data(), digits.size() - 1};
}

/// One signature for all programs that show a known fault, whatever their operators, types and device.
std::string known_text(const KnownFault& fault) {
  return kKnown + kSeparator + std::string(fault.rule) + kSeparator + "issue " + std::to_string(fault.issue);
}

Signature signature_of(const Verdict& verdict, const Parts& middle, std::string_view device,
                       const std::string& beside) {
  if (const KnownFault* const fault = known_fault(verdict.rule))
    return {known_text(*fault), hash_of(known_text(*fault))};
  Parts parts{verdict.kind ? std::string(name(*verdict.kind)) : std::string(name(verdict.verdict))};
  parts.insert(parts.end(), middle.begin(), middle.end());
  if (!verdict.kind || results_differ(*verdict.kind) || *verdict.kind == Kind::hang) parts.emplace_back(device);
  parts.push_back(beside);
  std::erase(parts, "");
  Signature signature;
  signature.text = one_line(joined(parts, kSeparator));
  signature.hash = hash_of(signature.text);
  return signature;
}

std::optional<std::string> new_operator(const Shown& whole, const Shown& smaller) {
  const auto had = operator_names(whole.evidence);
  for (const std::string& each : operator_names(smaller.evidence)) {
    if (!std::binary_search(had.begin(), had.end(), each))
      return "an operator that the original does not have: " + each;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> error_parts(const ErrorReport& error) {
  return {error.outer_class, error.inner_class, normalise_message(error.message), error.compiler_frame};
}

std::vector<std::string> death_parts(const Outcome& outcome) {
  return {
      outcome.signal != 0 ? "signal " + std::to_string(outcome.signal) : "exit " + std::to_string(outcome.exit_status),
      outcome.native_frame};
}

std::string dtype_class_of(const Verdict& verdict, const Evidence& evidence) {
  const Measurement* const measured = evidence.measurement(Mode::eager, evidence.compiled);
  if (measured == nullptr || verdict.leaves.empty()) return "";
  const LeafMeasurement* const leaf = measured->find(verdict.leaves.front());
  return leaf == nullptr ? "" : std::string(dtype_class(leaf->dtype));
}

bool shows_alike(const Evidence& evidence, const Verdict& verdict, Mode mode) {
  switch (verdict.kind.value_or(Kind::numerical)) {
    case Kind::behaviour:
      return kind_is(evidence, mode, OutcomeKind::raised);
    case Kind::crash:
      return kind_is(evidence, mode, OutcomeKind::died);
    case Kind::hang:
      return kind_is(evidence, mode, OutcomeKind::hung);
    case Kind::missing_check:
      return kind_is(evidence, mode, OutcomeKind::ran);
    default:
      break;
  }
  const Measurement* const measured = evidence.measurement(Mode::eager, mode);
  if (measured == nullptr) return false;
  return std::any_of(verdict.leaves.begin(), verdict.leaves.end(), [&](const std::string& path) {
    const LeafMeasurement* const leaf = measured->find(path);
    return leaf != nullptr && leaf_differs_alike(*leaf, verdict);
  });
}

Stage first_differing_stage(const Evidence& stages, const Verdict& verdict) {
  for (const Mode mode : modes_of(Look::stage)) {
    if (shows_alike(stages, verdict, mode)) return from_name<Stage>(name(mode)).value();
  }
  return Stage::inductor;
}

std::optional<std::string> why_another(const Shown& whole, const Shown& smaller) {
  if (smaller.verdict.verdict != VerdictKind::inconsistent) {
    return std::string(name(smaller.verdict.verdict)) + ", " + smaller.verdict.rule;
  }
  if (smaller.verdict.kind != whole.verdict.kind)
    return "a different kind: " + std::string(name(*smaller.verdict.kind));
  switch (whole.verdict.kind.value_or(Kind::numerical)) {
    case Kind::behaviour:
    case Kind::missing_check:
    case Kind::crash:
    case Kind::hang: {
      const Parts wanted = parts_of(whole.verdict, whole.evidence, whole.stage, "", Graph::left_out);
      const Parts parts = parts_of(smaller.verdict, smaller.evidence, smaller.stage, "", Graph::left_out);
      if (parts != wanted) return "another: " + joined(parts, kSeparator);
      const bool graph_tells = parts_of(whole.verdict, whole.evidence, whole.stage) != wanted;
      return graph_tells ? new_operator(whole, smaller) : std::nullopt;
    }
    default:
      break;
  }
  if (smaller.stage != whole.stage) return "a different stage: " + std::string(name(smaller.stage));
  if (dtype_class_of(smaller.verdict, smaller.evidence) != dtype_class_of(whole.verdict, whole.evidence)) {
    return "a different class of dtypes: " + dtype_class_of(smaller.verdict, smaller.evidence);
  }
  if (whole.verdict.kind == Kind::mutation) return std::nullopt;  // whichever operator writes
  return new_operator(whole, smaller);
}

Signature raw_signature(const Verdict& verdict, const Evidence& evidence, Stage stage, std::string_view device) {
  return signature_of(verdict, parts_of(verdict, evidence, stage), device, {});
}

Signature final_signature(const Shown& shown, std::string_view device, std::string_view neutraliser) {
  auto parts = neutralisers_from_line(neutraliser).value_or(std::vector<Neutraliser>{});
  std::set<std::string> blamed;
  for (const Neutraliser& part : parts) {
    if (names_operator(part)) blamed.insert(packet(part.name));
  }
  std::erase_if(parts, names_operator);
  const Parts middle =
      parts_of(shown.verdict, shown.evidence, shown.stage, joined({blamed.begin(), blamed.end()}, ","));
  return signature_of(shown.verdict, middle, device, line(parts));
}

std::optional<Signature> signature_of_caught_error(const Shown& shown, const std::string& reduced) {
  static const RE2 handler(R"re((?m)^\s+except\b)re");
  static const RE2 index_handler(
      R"re((?m)^\s+except\s*(?::|.*\b(?:IndexError|LookupError|Exception|BaseException)\b))re");
  const Outcome* const compiled = shown.evidence.outcome(shown.evidence.compiled);
  if (shown.verdict.kind != Kind::behaviour || compiled == nullptr || !compiled->error) return std::nullopt;
  const bool unwrapped = compiled->step == Step::compile && compiled->error->outer_class == "IndexError";
  const bool caught = (fake_call(compiled->error->message) && RE2::PartialMatch(reduced, handler)) ||
                      (unwrapped && RE2::PartialMatch(reduced, index_handler));
  if (!caught) return std::nullopt;
  return signature_of(shown.verdict, {compiled->error->outer_class, kCaught}, {}, {});
}

bool tells_of_caught_error(const Signature& signature) {
  return signature.text.find(kSeparator + kCaught) != std::string::npos;
}

int known_issue(const Signature& signature) {
  const auto& faults = known_faults();
  const auto found = std::find_if(faults.begin(), faults.end(),
                                  [&](const KnownFault& fault) { return known_text(fault) == signature.text; });
  return found == faults.end() ? 0 : found->issue;
}

bool tells_of_zero_sign(const Signature& signature) {
  return signature.text.find(kSeparator + kZeroSign) != std::string::npos;
}

bool tells_of_layout(const Signature& signature) {
  return signature.text.find(kSeparator + kLayout) != std::string::npos;
}

std::string refusal(const Evidence& evidence) {
  const Outcome* const eager = evidence.outcome(Mode::eager);
  return eager != nullptr && eager->error ? normalise_refusal(eager->error->message) : "";
}

std::string classes_raised(const Evidence& evidence) {
  const Outcome* const compiled = evidence.outcome(evidence.compiled);
  if (compiled == nullptr || !compiled->error) return "";
  Parts classes{compiled->error->outer_class, compiled->error->inner_class};
  std::erase(classes, "");
  return joined(classes, kSeparator);
}

}  // namespace parityd::oracle
