// Small hand-made records and evidence, so that a test states only what it is about.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "oracle/measure/evidence.h"

namespace parityd::oracle::test {

/// A run record that owns its storages.
class Record {
 public:
  explicit Record(Mode mode) {
    record_.mode = mode;
    record_.outcome = {OutcomeKind::ran, Step::measure, {}, 0, 0, "", 0.01, is_eager(mode) ? 0 : 1, {}};
  }

  /// A new storage with a copy of `values`; its number.
  template <typename T>
  int storage(const std::vector<T>& values) {
    auto& bytes = bytes_.emplace_back(new std::byte[values.size() * sizeof(T) + 1]);
    if (!values.empty()) std::memcpy(bytes.get(), values.data(), values.size() * sizeof(T));
    record_.storages.push_back({bytes.get(), values.size() * sizeof(T)});
    return static_cast<int>(record_.storages.size()) - 1;
  }

  /// A tensor leaf over an existing storage.
  Leaf& view(std::string path, Dtype dtype, int storage, std::vector<std::int64_t> shape,
             std::vector<std::int64_t> stride, std::int64_t offset = 0) {
    Leaf leaf;
    leaf.path = std::move(path);
    leaf.group = group_of(leaf.path);
    leaf.is_tensor = true;
    leaf.type = "Tensor";
    leaf.dtype = dtype;
    leaf.shape = std::move(shape);
    leaf.stride = std::move(stride);
    leaf.storage = storage;
    leaf.offset = offset;
    return record_.leaves.emplace_back(std::move(leaf));
  }

  /// A contiguous one-dimensional tensor with a storage of its own.
  template <typename T>
  Leaf& tensor(const std::string& path, Dtype dtype, const std::vector<T>& values) {
    const auto bytes = values.size() * sizeof(T);
    const auto count = static_cast<std::int64_t>(bytes / element_size(dtype));
    return view(path, dtype, storage(values), {count}, {1});
  }

  Leaf& value(std::string path, std::string type, std::string value) {
    Leaf leaf;
    leaf.path = std::move(path);
    leaf.group = group_of(leaf.path);
    leaf.type = std::move(type);
    leaf.value = std::move(value);
    return record_.leaves.emplace_back(std::move(leaf));
  }

  [[nodiscard]] const RunRecord& record() const { return record_; }
  RunRecord& record() { return record_; }

 private:
  static LeafGroup group_of(const std::string& path) {
    return from_name<LeafGroup>(path.substr(0, path.find_first_of("[."))).value_or(LeafGroup::output);
  }

  RunRecord record_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

inline Outcome ran(int graphs = 1) { return {OutcomeKind::ran, Step::measure, {}, 0, 0, "", 0.1, graphs, {}}; }

inline Outcome raised(Step step, const std::string& error_class, const std::string& message) {
  Outcome outcome;
  outcome.kind = OutcomeKind::raised;
  outcome.step = step;
  outcome.error = ErrorReport{};
  outcome.error->outer_class = error_class;
  outcome.error->inner_class = error_class;
  outcome.error->message = message;
  return outcome;
}

inline Outcome died(Step step, int signal) {
  Outcome outcome;
  outcome.kind = OutcomeKind::died;
  outcome.step = step;
  outcome.signal = signal;
  return outcome;
}

inline Outcome hung(Step step) {
  Outcome outcome;
  outcome.kind = OutcomeKind::hung;
  outcome.step = step;
  return outcome;
}

/// A leaf of 100 elements that is equal.
inline LeafMeasurement same_leaf(const std::string& path, Dtype dtype = Dtype::float32) {
  LeafMeasurement leaf;
  leaf.path = path;
  leaf.group = from_name<LeafGroup>(path.substr(0, path.find_first_of("[."))).value_or(LeafGroup::output);
  leaf.dtype = dtype;
  leaf.elements = 100;
  leaf.rms_expected = 1;
  return leaf;
}

/// A leaf of 100 elements, rms 1, that differs by `difference` in each; M is decided as compare() would.
inline LeafMeasurement off_leaf(const std::string& path, double difference, Dtype dtype = Dtype::float32) {
  LeafMeasurement leaf = same_leaf(path, dtype);
  leaf.unequal = difference > 0 ? 100 : 0;
  leaf.max_absolute = leaf.rms_difference = leaf.max_relative = difference;
  const Tolerance tolerance = default_tolerance(dtype);
  leaf.exceeds_tolerance = difference > tolerance.absolute + tolerance.relative * leaf.rms_expected;
  return leaf;
}

/// Evidence of a whole round in which everything ran; measurements are added pair by pair.
inline Evidence round_of(Mode compiled = Mode::inductor) {
  Evidence evidence;
  evidence.compiled = compiled;
  for (const Mode mode : {Mode::eager, Mode::eager_repeat, Mode::reference}) evidence.outcomes[mode] = ran(0);
  for (const Mode mode : {compiled, Mode::inductor_precise, Mode::inductor_fp64}) evidence.outcomes[mode] = ran(1);
  return evidence;
}

inline void measure(Evidence& evidence, Mode expected, Mode actual, std::vector<LeafMeasurement> leaves) {
  evidence.measurements.push_back({expected, actual, std::move(leaves)});
}

}  // namespace parityd::oracle::test
