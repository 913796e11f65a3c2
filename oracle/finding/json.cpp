#include "oracle/finding/json.h"

#include <nlohmann/json.hpp>

#include "oracle/json_read.h"

namespace parityd::oracle {
namespace {

using json_read::read;
using json_read::read_name;
using json_read::require_name;
using nlohmann::json;

// ---- writing: values that are false, zero or empty are left out

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

/// Reading: a field that is left out is false, zero or empty.
template <typename Item>
void read(const json& from, const char* key, std::vector<Item>& items) {
  items.clear();
  if (const auto* const found = json_read::find(from, key)) json_read::array_of(*found, key).get_to(items);
}

/// A function for a list of fields, called with each key and value.
auto writer(json& to) {
  return [&to](const char* key, const auto& value) { put(to, key, value); };
}
auto reader(const json& from) {
  return [&from](const char* key, auto& value) { read(from, key, value); };
}

// ---- the fields that are written and read by the same code

template <typename Error, typename Field>
void fields_of_error(Error& error, Field field) {
  field("outer_class", error.outer_class);
  field("inner_class", error.inner_class);
  field("message", error.message);
  field("compiler_frame", error.compiler_frame);
  field("user_line", error.user_line);
  field("user_source", error.user_source);
  field("user_operator", error.user_operator);
  field("traceback", error.traceback);
  field("dead", error.dead);
  field("live_tensors", error.live_tensors);
}

template <typename Ended, typename Field>
void fields_of_outcome(Ended& outcome, Field field) {
  field("signal", outcome.signal);
  field("exit_status", outcome.exit_status);
  field("native_frame", outcome.native_frame);
  field("seconds", outcome.seconds);
  field("graphs", outcome.graphs);
  field("operators", outcome.operators);
  field("lowered", outcome.lowered);
  field("decomposed", outcome.decomposed);
  field("seeded", outcome.seeded);
  field("private", outcome.private_operators);
  field("observations", outcome.observations);
  field("fallbacks", outcome.fallbacks);
  field("double_way", outcome.double_way);
  field("replaced", outcome.replaced);
}

template <typename Tensor, typename Field>
void fields_of_tensor(Tensor& leaf, Field field) {
  field("offset", leaf.offset);
  field("requires_grad", leaf.requires_grad);
  field("conjugate", leaf.conjugate);
  field("negative", leaf.negative);
}

template <typename Measured, typename Field>
void fields_of_measured_leaf(Measured& leaf, Field field) {
  field("elements", leaf.elements);
  field("missing", leaf.missing);
  field("unopened", leaf.unopened);
  field("type_differs", leaf.type_differs);
  field("dtype_differs", leaf.dtype_differs);
  field("shape_differs", leaf.shape_differs);
  field("stride_differs", leaf.stride_differs);
  field("stride_padded", leaf.stride_padded);
  field("requires_grad_differs", leaf.requires_grad_differs);
  field("alias_differs", leaf.alias_differs);
  field("returned_input", leaf.returned_input);
  field("unequal", leaf.unequal);
  field("nan_differs", leaf.nan_differs);
  field("inf_differs", leaf.inf_differs);
  field("sign_differs", leaf.sign_differs);
  field("nan_bits", leaf.nan_bits);
  field("max_absolute", leaf.max_absolute);
  field("max_relative", leaf.max_relative);
  field("max_scaled", leaf.max_scaled);
  field("rms_difference", leaf.rms_difference);
  field("rms_expected", leaf.rms_expected);
  field("exceeds_tolerance", leaf.exceeds_tolerance);
  field("detail", leaf.detail);
}

template <typename Facts, typename Field>
void fields_of_inputs(Facts& inputs, Field field) {
  field("non_finite", inputs.non_finite);
  field("extreme", inputs.extreme);
  field("zero_size", inputs.zero_size);
}

template <typename Seen, typename Field>
void fields_of_evidence(Seen& evidence, Field field) {
  field("measurements", evidence.measurements);
  field("same_detail", evidence.same_detail);
  field("warnings", evidence.warnings);
  field("untried", evidence.untried);
  field("features", evidence.features);
  field("graph_forms", evidence.graphs.seen);
  field("graph_interpreted", evidence.graphs.interpreted);
  field("graph_fresh", evidence.graphs.fresh);
}

}  // namespace

void to_json(json& json, const LiveTensor& tensor) {
  json = {{"expression", tensor.expression}, {"dtype", tensor.dtype}, {"shape", tensor.shape}};
}

void from_json(const json& json, LiveTensor& tensor) {
  read(json, "expression", tensor.expression);
  read(json, "dtype", tensor.dtype);
  read(json, "shape", tensor.shape);
}

void to_json(json& json, const ErrorReport& error) {
  json = json::object();
  fields_of_error(error, writer(json));
}

void from_json(const json& json, ErrorReport& error) { fields_of_error(error, reader(json)); }

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
  json = {{"kind", outcome.kind}, {"step", outcome.step}};
  if (outcome.error) json["error"] = *outcome.error;
  fields_of_outcome(outcome, writer(json));
}

void from_json(const json& json, Outcome& outcome) {
  outcome.kind = require_name<OutcomeKind>(json, "kind");
  outcome.step = read_name(json, "step", Step::start);
  outcome.error.reset();
  if (const auto* const error = json_read::find(json, "error"); error != nullptr && !error->is_null()) {
    outcome.error = error->get<ErrorReport>();
  }
  fields_of_outcome(outcome, reader(json));
}

void to_json(json& json, const Leaf& leaf) {
  json = {{"path", leaf.path}, {"group", leaf.group}, {"type", leaf.type}};
  put(json, "value", leaf.value);
  put(json, "unopened", leaf.unopened);
  if (!leaf.is_tensor) return;
  json["is_tensor"] = true;
  json["dtype"] = leaf.dtype;
  json["shape"] = leaf.shape;
  json["stride"] = leaf.stride;
  json["storage"] = leaf.storage;
  fields_of_tensor(leaf, writer(json));
}

void from_json(const json& json, Leaf& leaf) {
  leaf.path = json_read::text_of(json_read::require(json, "path"), "path");
  leaf.group = require_name<LeafGroup>(json, "group");
  read(json, "is_tensor", leaf.is_tensor);
  read(json, "type", leaf.type);
  read(json, "value", leaf.value);
  read(json, "unopened", leaf.unopened);
  if (leaf.is_tensor) json_read::require(json, "dtype");
  leaf.dtype = read_name(json, "dtype", Dtype::float32);
  read(json, "shape", leaf.shape);
  read(json, "stride", leaf.stride);
  leaf.storage = json_read::optional<int>(json, "storage").value_or(-1);
  fields_of_tensor(leaf, reader(json));
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
  json = {{"path", leaf.path}, {"group", leaf.group}, {"dtype", leaf.dtype}};
  fields_of_measured_leaf(leaf, writer(json));
  if (leaf.beyond_noise >= 0) json["beyond_noise"] = leaf.beyond_noise;
  if (leaf.otherwise != Otherwise::nothing) json["otherwise"] = leaf.otherwise;
  if (leaf.worst) json["worst"] = *leaf.worst;
}

void from_json(const json& json, LeafMeasurement& leaf) {
  leaf.path = json_read::text_of(json_read::require(json, "path"), "path");
  leaf.group = read_name(json, "group", LeafGroup::output);
  leaf.dtype = read_name(json, "dtype", Dtype::float32);
  fields_of_measured_leaf(leaf, reader(json));
  leaf.beyond_noise = json_read::optional<std::int64_t>(json, "beyond_noise").value_or(-1);
  leaf.otherwise = read_name(json, "otherwise", Otherwise::nothing);
  leaf.worst.reset();
  if (const auto* const worst = json_read::find(json, "worst")) leaf.worst = worst->get<WorstElement>();
}

void to_json(json& json, const InputFacts& inputs) {
  json = json::object();
  fields_of_inputs(inputs, writer(json));
}

void from_json(const json& json, InputFacts& inputs) { fields_of_inputs(inputs, reader(json)); }

void to_json(json& json, const Measurement& measurement) {
  json = {{"expected", measurement.expected}, {"actual", measurement.actual}, {"leaves", measurement.leaves}};
}

void from_json(const json& json, Measurement& measurement) {
  measurement.expected = require_name<Mode>(json, "expected");
  measurement.actual = require_name<Mode>(json, "actual");
  read(json, "leaves", measurement.leaves);
}

void to_json(json& json, const Evidence& evidence) {
  json = {{"compiled", evidence.compiled}, {"outcomes", json::object()}};
  for (const auto& [mode, outcome] : evidence.outcomes) json["outcomes"][std::string(name(mode))] = outcome;
  if (evidence.same) json["same"] = *evidence.same;
  fields_of_evidence(evidence, writer(json));
  if (evidence.inputs.edge()) json["inputs"] = evidence.inputs;
}

void from_json(const json& json, Evidence& evidence) {
  evidence = {};
  evidence.compiled = read_name(json, "compiled", Mode::inductor);
  if (const auto* const outcomes = json_read::find(json, "outcomes")) {
    for (const auto& [key, outcome] : json_read::object_of(*outcomes, "outcomes").items()) {
      const auto mode = from_name<Mode>(key);
      if (!mode) throw json::other_error::create(501, "no mode is named '" + key + "'", outcomes);
      evidence.outcomes.emplace(*mode, outcome.get<Outcome>());
    }
  }
  if (const auto* const same = json_read::find(json, "same"); same != nullptr && !same->is_null()) {
    if (!same->is_boolean()) json_read::fail(*same, "same", "true, false or null");
    evidence.same = same->get<bool>();
  }
  fields_of_evidence(evidence, reader(json));
  if (const auto* const inputs = json_read::find(json, "inputs")) inputs->get_to(evidence.inputs);
}

void to_json(json& json, const Verdict& verdict) {
  json = {{"verdict", verdict.verdict}, {"rule", verdict.rule}, {"explanation", verdict.explanation}};
  if (verdict.kind) json["kind"] = *verdict.kind;
  put(json, "leaves", verdict.leaves);
}

void from_json(const json& json, Verdict& verdict) {
  verdict = {};
  verdict.verdict = require_name<VerdictKind>(json, "verdict");
  if (const auto* const kind = json_read::find(json, "kind"); kind != nullptr && !kind->is_null()) {
    verdict.kind = require_name<Kind>(json, "kind");
  }
  read(json, "rule", verdict.rule);
  read(json, "explanation", verdict.explanation);
  read(json, "leaves", verdict.leaves);
}

}  // namespace parityd::oracle
