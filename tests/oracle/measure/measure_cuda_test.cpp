// The measurement on the GPU gives the numbers of the one on the processor. Skipped where there is no GPU.
#include <cuda_runtime_api.h>

#include <memory>

#include "oracle/measure/measure.h"
#include "tests/catch.h"
#include "tests/oracle/measure/every_layout.h"

namespace parityd::oracle::test {
namespace {

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

struct Free {
  void operator()(void* memory) const { cudaFree(memory); }
};

/// A record's copy with its storages in device memory.
class DeviceRecord {
 public:
  explicit DeviceRecord(const RunRecord& record) : record_(record) {
    for (StorageView& storage : record_.storages) {
      void* memory = nullptr;
      REQUIRE(cudaMalloc(&memory, storage.size) == cudaSuccess);
      memory_.emplace_back(memory);
      REQUIRE(cudaMemcpy(memory, storage.data, storage.size, cudaMemcpyHostToDevice) == cudaSuccess);
      storage.data = static_cast<const std::byte*>(memory);
      storage.on_device = true;
    }
  }
  [[nodiscard]] const RunRecord& record() const { return record_; }

 private:
  RunRecord record_;
  std::vector<std::unique_ptr<void, Free>> memory_;
};

void check_alike(const PairTotals& one, const PairTotals& other) {
  CHECK(one.unequal == other.unequal);
  CHECK(one.nan_differs == other.nan_differs);
  CHECK(one.inf_differs == other.inf_differs);
  CHECK(one.sign_differs == other.sign_differs);
  CHECK(one.nan_bits == other.nan_bits);
  CHECK(one.finite == other.finite);
  CHECK(one.nan == other.nan);
  CHECK(one.cancelled == other.cancelled);
  CHECK(one.max_absolute == other.max_absolute);
  CHECK(alike(one.max_relative, other.max_relative));
  CHECK(alike(one.max_scaled, other.max_scaled));
  CHECK(alike(one.sum_difference, other.sum_difference, 1e-9));
  CHECK(alike(one.sum_expected, other.sum_expected, 1e-9));
}

void check_alike(const LeafTotals& one, const LeafTotals& other) {
  check_alike(one.compiled, other.compiled);
  check_alike(one.eager_reference, other.eager_reference);
  check_alike(one.compiled_reference, other.compiled_reference);
  CHECK(one.elements == other.elements);
  CHECK(one.far == other.far);
}

void check_alike(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference) {
  const DeviceRecord device_eager(eager);
  const DeviceRecord device_compiled(compiled);
  std::unique_ptr<DeviceRecord> device_reference;
  if (reference != nullptr) device_reference = std::make_unique<DeviceRecord>(*reference);
  const MeasuredLeaves wanted = measure_leaves(eager, compiled, reference);
  const MeasuredLeaves measured =
      measure_leaves_on_device(device_eager.record(), device_compiled.record(),
                               device_reference ? &device_reference->record() : nullptr, {}, nullptr);
  REQUIRE(measured.size() == wanted.size());
  for (const auto& [path, leaf] : wanted) {
    CAPTURE(path);
    REQUIRE(measured.count(path) == 1);
    check_alike(measured.at(path).totals, leaf.totals);
    check_alike(measured.at(path).scaled, leaf.scaled);
    CHECK(measured.at(path).with_reference == leaf.with_reference);
  }
}

}  // namespace

TEST_CASE("the GPU measures every dtype and layout as the CPU does") {
  if (!has_device()) PARITYD_SKIP("no GPU here");
  for (int i = 0; i <= static_cast<int>(Dtype::float8_e5m2fnuz); ++i) {
    const auto dtype = static_cast<Dtype>(i);
    CAPTURE(name(dtype));
    Record eager(Mode::eager);
    Record compiled(Mode::inductor);
    Record reference(Mode::reference);
    add_every_layout(eager, dtype, 1);
    add_every_layout(compiled, dtype, 2);
    add_every_layout(reference, reference_dtype(dtype), 3);
    check_alike(eager.record(), compiled.record(), &reference.record());
    check_alike(eager.record(), compiled.record(), nullptr);
    check_alike(eager.record(), eager.record(), &reference.record());
  }
}

TEST_CASE("the GPU measures large leaves and finds one wrong element") {
  if (!has_device()) PARITYD_SKIP("no GPU here");
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values((std::size_t{1} << 20) + 3);
  for (float& value : values) value = normal(random);
  std::vector<float> wrong = values;
  wrong[777777] += 1;
  Record eager(Mode::eager);
  Record compiled(Mode::inductor);
  Record reference(Mode::reference);
  eager.tensor("output", Dtype::float32, values);
  compiled.tensor("output", Dtype::float32, wrong);
  reference.tensor("output", Dtype::float64, std::vector<double>(values.begin(), values.end()));
  check_alike(eager.record(), compiled.record(), &reference.record());
}

}  // namespace parityd::oracle::test
