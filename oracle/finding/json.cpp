#include "oracle/finding/json.h"

#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::oracle {
namespace {

using json_read::read;
using json_read::read_name;
using json_read::require_name;
using nlohmann::json;

// ---- writing: what is false, zero or empty is left out

void put(json& to, const char* key, bool value) {
  if (value) to[key] = true;
}
void put(json& to, const char* key, std::int64_t value) {
  if (value != 0) to[key] = value;
}
void put(json& to, const char* key, int value) { put(to, key, std::int64_t{value}); }
void put(json& to, const char* key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}
void put(json& to, const char* key, double value) {
  if (std::isnan(value)) {
    to[key] = "nan";
  } else if (std::isinf(value)) {
    to[key] = value > 0 ? "inf" : "-inf";
  } else if (value != 0) {
    to[key] = value;
  }
}
template <typename Item>
void put(json& to, const char* key, const std::vector<Item>& values) {
  if (!values.empty()) to[key] = values;
}

}  // namespace

void to_json(json& json, const ErrorReport& error) {
  json = json::object();
  put(json, "outer_class", error.outer_class);
  put(json, "inner_class", error.inner_class);
  put(json, "message", error.message);
  put(json, "compiler_frame", error.compiler_frame);
  put(json, "user_line", error.user_line);
  put(json, "user_source", error.user_source);
  put(json, "user_operator", error.user_operator);
  put(json, "traceback", error.traceback);
  put(json, "dead", error.dead);
  for (const LiveTensor& tensor : error.live_tensors) {
    json["live_tensors"].push_back(
        {{"expression", tensor.expression}, {"dtype", tensor.dtype}, {"shape", tensor.shape}});
  }
}

void from_json(const json& json, ErrorReport& error) {
  read(json, "outer_class", error.outer_class);
  read(json, "inner_class", error.inner_class);
  read(json, "message", error.message);
  read(json, "compiler_frame", error.compiler_frame);
  read(json, "user_line", error.user_line);
  read(json, "user_source", error.user_source);
  read(json, "user_operator", error.user_operator);
  read(json, "traceback", error.traceback);
  read(json, "dead", error.dead);
  error.live_tensors.clear();
  if (const auto* const tensors = json_read::find(json, "live_tensors")) {
    for (const auto& item : json_read::array_of(*tensors, "live_tensors")) {
      LiveTensor tensor;
      read(item, "expression", tensor.expression);
      read(item, "dtype", tensor.dtype);
      read(item, "shape", tensor.shape);
      error.live_tensors.push_back(std::move(tensor));
    }
  }
}

void to_json(json& json, const Observation& observation) {
  json = {{"rule", observation.rule},
          {"operator", observation.operator_name},
          {"elements", observation.elements},
          {"leaves", observation.leaves}};
}

void from_json(const json& json, Observation& observation) {
  observation.rule = json_read::text_of(json_read::require(json, "rule"), "rule");
  read(json, "operator", observation.operator_name);
  read(json, "elements", observation.elements);
  read(json, "leaves", observation.leaves);
}

void to_json(json& json, const Outcome& outcome) {
  json = {{"kind", name(outcome.kind)}, {"step", name(outcome.step)}};
  if (outcome.error) json["error"] = *outcome.error;
  put(json, "signal", outcome.signal);
  put(json, "exit_status", outcome.exit_status);
  put(json, "native_frame", outcome.native_frame);
  put(json, "seconds", outcome.seconds);
  put(json, "graphs", outcome.graphs);
  put(json, "operators", outcome.operators);
  put(json, "lowered", outcome.lowered);
  put(json, "decomposed", outcome.decomposed);
  put(json, "seeded", outcome.seeded);
  put(json, "private", outcome.private_operators);
  put(json, "observations", outcome.observations);
  put(json, "fallbacks", outcome.fallbacks);
  put(json, "double_way", outcome.double_way);
  put(json, "replaced", outcome.replaced);
}

void from_json(const json& json, Outcome& outcome) {
  outcome.kind = require_name(json, "kind", from_name<OutcomeKind>);
  outcome.step = read_name(json, "step", from_name<Step>, Step::start);
  outcome.error.reset();
  if (const auto* const error = json_read::find(json, "error"); error != nullptr && !error->is_null()) {
    outcome.error = error->get<ErrorReport>();
  }
  read(json, "signal", outcome.signal);
  read(json, "exit_status", outcome.exit_status);
  read(json, "native_frame", outcome.native_frame);
  read(json, "seconds", outcome.seconds);
  read(json, "graphs", outcome.graphs);
  read(json, "operators", outcome.operators);
  read(json, "lowered", outcome.lowered);
  read(json, "decomposed", outcome.decomposed);
  read(json, "seeded", outcome.seeded);
  read(json, "private", outcome.private_operators);
  read(json, "fallbacks", outcome.fallbacks);
  read(json, "double_way", outcome.double_way);
  read(json, "replaced", outcome.replaced);
  outcome.observations.clear();
  if (const auto* const observations = json_read::find(json, "observations"))
    json_read::array_of(*observations, "observations").get_to(outcome.observations);
}

void to_json(json& json, const Leaf& leaf) {
  json = {{"path", leaf.path}, {"group", name(leaf.group)}, {"type", leaf.type}};
  put(json, "value", leaf.value);
  put(json, "unopened", leaf.unopened);
  if (!leaf.is_tensor) return;
  json["is_tensor"] = true;
  json["dtype"] = name(leaf.dtype);
  json["shape"] = leaf.shape;
  json["stride"] = leaf.stride;
  json["storage"] = leaf.storage;
  put(json, "offset", leaf.offset);
  put(json, "requires_grad", leaf.requires_grad);
  put(json, "conjugate", leaf.conjugate);
  put(json, "negative", leaf.negative);
}

void from_json(const json& json, Leaf& leaf) {
  leaf.path = json_read::text_of(json_read::require(json, "path"), "path");
  leaf.group = require_name(json, "group", from_name<LeafGroup>);
  read(json, "is_tensor", leaf.is_tensor);
  read(json, "type", leaf.type);
  read(json, "value", leaf.value);
  read(json, "unopened", leaf.unopened);
  leaf.dtype = leaf.is_tensor ? require_name(json, "dtype", dtype_from_name)
                              : read_name(json, "dtype", dtype_from_name, Dtype::float32);
  read(json, "shape", leaf.shape);
  read(json, "stride", leaf.stride);
  read(json, "offset", leaf.offset);
  const auto* const storage = json_read::find(json, "storage");
  leaf.storage = storage == nullptr ? -1 : json_read::integer_of<int>(*storage, "storage");
  read(json, "requires_grad", leaf.requires_grad);
  read(json, "conjugate", leaf.conjugate);
  read(json, "negative", leaf.negative);
}

void to_json(json& json, const WorstElement& worst) {
  json = {{"index", worst.index}, {"eager", worst.eager}, {"compiled", worst.compiled}};
  put(json, "reference", worst.reference);
}

void from_json(const json& json, WorstElement& worst) {
  read(json, "index", worst.index);
  read(json, "eager", worst.eager);
  read(json, "compiled", worst.compiled);
  read(json, "reference", worst.reference);
}

void to_json(json& json, const LeafMeasurement& leaf) {
  json = {{"path", leaf.path}, {"group", name(leaf.group)}, {"dtype", name(leaf.dtype)}};
  put(json, "elements", leaf.elements);
  put(json, "missing", leaf.missing);
  put(json, "unopened", leaf.unopened);
  put(json, "type_differs", leaf.type_differs);
  put(json, "dtype_differs", leaf.dtype_differs);
  put(json, "shape_differs", leaf.shape_differs);
  put(json, "stride_differs", leaf.stride_differs);
  put(json, "stride_padded", leaf.stride_padded);
  put(json, "requires_grad_differs", leaf.requires_grad_differs);
  put(json, "alias_differs", leaf.alias_differs);
  put(json, "returned_input", leaf.returned_input);
  put(json, "unequal", leaf.unequal);
  put(json, "nan_differs", leaf.nan_differs);
  put(json, "inf_differs", leaf.inf_differs);
  put(json, "sign_differs", leaf.sign_differs);
  put(json, "nan_bits", leaf.nan_bits);
  put(json, "max_absolute", leaf.max_absolute);
  put(json, "max_relative", leaf.max_relative);
  put(json, "max_scaled", leaf.max_scaled);
  put(json, "rms_difference", leaf.rms_difference);
  put(json, "rms_expected", leaf.rms_expected);
  if (leaf.beyond_noise >= 0) json["beyond_noise"] = leaf.beyond_noise;
  put(json, "exceeds_tolerance", leaf.exceeds_tolerance);
  if (leaf.otherwise != Otherwise::nothing) json["otherwise"] = name(leaf.otherwise);
  put(json, "detail", leaf.detail);
  if (leaf.worst) json["worst"] = *leaf.worst;
}

void from_json(const json& json, LeafMeasurement& leaf) {
  leaf.path = json_read::text_of(json_read::require(json, "path"), "path");
  leaf.group = read_name(json, "group", from_name<LeafGroup>, LeafGroup::output);
  leaf.dtype = read_name(json, "dtype", dtype_from_name, Dtype::float32);
  read(json, "elements", leaf.elements);
  read(json, "missing", leaf.missing);
  read(json, "unopened", leaf.unopened);
  read(json, "type_differs", leaf.type_differs);
  read(json, "dtype_differs", leaf.dtype_differs);
  read(json, "shape_differs", leaf.shape_differs);
  read(json, "stride_differs", leaf.stride_differs);
  read(json, "stride_padded", leaf.stride_padded);
  read(json, "requires_grad_differs", leaf.requires_grad_differs);
  read(json, "alias_differs", leaf.alias_differs);
  read(json, "returned_input", leaf.returned_input);
  read(json, "unequal", leaf.unequal);
  read(json, "nan_differs", leaf.nan_differs);
  read(json, "inf_differs", leaf.inf_differs);
  read(json, "sign_differs", leaf.sign_differs);
  read(json, "nan_bits", leaf.nan_bits);
  read(json, "max_absolute", leaf.max_absolute);
  read(json, "max_relative", leaf.max_relative);
  read(json, "max_scaled", leaf.max_scaled);
  read(json, "rms_difference", leaf.rms_difference);
  read(json, "rms_expected", leaf.rms_expected);
  const auto* const beyond_noise = json_read::find(json, "beyond_noise");
  leaf.beyond_noise = beyond_noise == nullptr ? -1 : json_read::integer_of<std::int64_t>(*beyond_noise, "beyond_noise");
  read(json, "exceeds_tolerance", leaf.exceeds_tolerance);
  leaf.otherwise = read_name(json, "otherwise", from_name<Otherwise>, Otherwise::nothing);
  read(json, "detail", leaf.detail);
  leaf.worst.reset();
  if (const auto* const worst = json_read::find(json, "worst")) leaf.worst = worst->get<WorstElement>();
}

void to_json(json& json, const InputFacts& inputs) {
  json = json::object();
  put(json, "non_finite", inputs.non_finite);
  put(json, "extreme", inputs.extreme);
  put(json, "zero_size", inputs.zero_size);
}

void from_json(const json& json, InputFacts& inputs) {
  read(json, "non_finite", inputs.non_finite);
  read(json, "extreme", inputs.extreme);
  read(json, "zero_size", inputs.zero_size);
}

void to_json(json& json, const Measurement& measurement) {
  json = {
      {"expected", name(measurement.expected)}, {"actual", name(measurement.actual)}, {"leaves", measurement.leaves}};
}

void from_json(const json& json, Measurement& measurement) {
  measurement.expected = require_name(json, "expected", mode_from_name);
  measurement.actual = require_name(json, "actual", mode_from_name);
  measurement.leaves.clear();
  if (const auto* const leaves = json_read::find(json, "leaves")) {
    json_read::array_of(*leaves, "leaves").get_to(measurement.leaves);
  }
}

void to_json(json& json, const Evidence& evidence) {
  json = {{"compiled", name(evidence.compiled)}, {"outcomes", json::object()}};
  for (const auto& [mode, outcome] : evidence.outcomes) json["outcomes"][std::string(name(mode))] = outcome;
  put(json, "measurements", evidence.measurements);
  if (evidence.same) json["same"] = *evidence.same;
  put(json, "same_detail", evidence.same_detail);
  put(json, "warnings", evidence.warnings);
  put(json, "untried", evidence.untried);
  put(json, "features", evidence.features);
  if (evidence.inputs.edge()) json["inputs"] = evidence.inputs;
}

void from_json(const json& json, Evidence& evidence) {
  evidence = {};
  evidence.compiled = read_name(json, "compiled", mode_from_name, Mode::inductor);
  if (const auto* const outcomes = json_read::find(json, "outcomes")) {
    if (!outcomes->is_object()) json_read::fail(*outcomes, "outcomes", "an object");
    for (const auto& [key, outcome] : outcomes->items()) {
      const auto mode = mode_from_name(key);
      if (!mode) throw json::other_error::create(501, "no mode is named '" + key + "'", outcomes);
      evidence.outcomes.emplace(*mode, outcome.get<Outcome>());
    }
  }
  if (const auto* const measurements = json_read::find(json, "measurements")) {
    json_read::array_of(*measurements, "measurements").get_to(evidence.measurements);
  }
  if (const auto* const same = json_read::find(json, "same"); same != nullptr && !same->is_null()) {
    if (!same->is_boolean()) json_read::fail(*same, "same", "true, false or null");
    evidence.same = same->get<bool>();
  }
  read(json, "same_detail", evidence.same_detail);
  read(json, "warnings", evidence.warnings);
  read(json, "untried", evidence.untried);
  read(json, "features", evidence.features);
  if (const auto* const inputs = json_read::find(json, "inputs")) inputs->get_to(evidence.inputs);
}

void to_json(json& json, const Verdict& verdict) {
  json = {{"verdict", name(verdict.verdict)}, {"rule", verdict.rule}, {"explanation", verdict.explanation}};
  if (verdict.kind) json["kind"] = name(*verdict.kind);
  put(json, "leaves", verdict.leaves);
}

void from_json(const json& json, Verdict& verdict) {
  verdict = {};
  verdict.verdict = require_name(json, "verdict", from_name<VerdictKind>);
  if (const auto* const kind = json_read::find(json, "kind"); kind != nullptr && !kind->is_null()) {
    verdict.kind = require_name(json, "kind", from_name<Kind>);
  }
  read(json, "rule", verdict.rule);
  read(json, "explanation", verdict.explanation);
  read(json, "leaves", verdict.leaves);
}

}  // namespace parityd::oracle
