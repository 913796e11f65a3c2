// One launch per leaf sums its elements into partial totals, one launch merges the partials of all leaves, and one
// transfer copies the totals to the host.
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/measure/measure.h"
#include "oracle/measure/measure_kernels.cuh"

namespace parityd::oracle {
namespace {

using namespace kernels;

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(error));
}

/// Device memory, allocated and freed in the order of a stream.
template <typename Item>
class Buffer {
 public:
  Buffer(std::size_t count, cudaStream_t stream) : stream_(stream) {
    check(cudaMallocAsync(&items_, std::max<std::size_t>(count, 1) * sizeof(Item), stream));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { cudaFreeAsync(items_, stream_); }
  [[nodiscard]] Item* get() const { return static_cast<Item*>(items_); }

 private:
  void* items_ = nullptr;
  cudaStream_t stream_;
};

/// Whether add_neighbours() applies: one row of adjacent elements, well aligned, the reference in double.
bool are_neighbours(const Work& work, Dtype dtype) {
  if (work.dimension_count != 1 || is_complex(dtype)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    const scan::Operand& operand = work.operands[k];
    if (operand.first == nullptr) continue;
    const auto size = static_cast<std::int64_t>(element_size(operand.dtype));
    const auto alignment = static_cast<std::uintptr_t>(std::min<std::int64_t>(16, size * kAtOnce));
    if (operand.dtype != (k == 2 ? Dtype::float64 : dtype) || operand.negative) return false;
    if (work.dimensions[0].steps[k] != size) return false;
    if (reinterpret_cast<std::uintptr_t>(operand.first) % alignment != 0) return false;
  }
  return true;
}

template <typename Value>
void launch_neighbours(const Work& work, int blocks, LeafTotals* partial, cudaStream_t stream) {
  if (work.operands[2].first != nullptr) {
    add_neighbours<Value, true><<<blocks, kThreads, 0, stream>>>(work, partial);
  } else {
    add_neighbours<Value, false><<<blocks, kThreads, 0, stream>>>(work, partial);
  }
}

void launch(const Work& work, int blocks, LeafTotals* partial, cudaStream_t stream) {
  const Dtype dtype = work.operands[0].dtype;
  if (is_exact(dtype)) {
    elements::with_loader(dtype, [&](auto loader) {
      if constexpr (std::is_integral_v<typename decltype(loader)::Value>)
        add_integers<decltype(loader)><<<blocks, kThreads, 0, stream>>>(work, partial);
    });
  } else if (!are_neighbours(work, dtype) || element_size(dtype) == 1) {
    const bool judged = dtype == work.operands[1].dtype;
    add_any<<<blocks, kThreads, 0, stream>>>(work, is_complex(dtype), judged, partial);
  } else if (dtype == Dtype::float64) {
    launch_neighbours<double>(work, blocks, partial, stream);
  } else if (dtype == Dtype::float32) {
    launch_neighbours<float>(work, blocks, partial, stream);
  } else if (dtype == Dtype::float16) {
    launch_neighbours<__half>(work, blocks, partial, stream);
  } else {
    launch_neighbours<Brain>(work, blocks, partial, stream);
  }
  check(cudaGetLastError());
}

/// torch's tensors begin at multiples of their element size; a thread cannot read others in one access.
bool are_aligned(const Work& work) {
  return std::all_of(std::begin(work.operands), std::end(work.operands), [](const scan::Operand& operand) {
    return reinterpret_cast<std::uintptr_t>(operand.first) % element_size(elements::component(operand.dtype)) == 0;
  });
}

bool on_device(const Leaf& leaf, const RunRecord& record) {
  return record.storages[static_cast<std::size_t>(leaf.storage)].on_device;
}

struct Planned {
  std::string path;
  Work work;
  std::int64_t repeats;
};

/// Totals of all leaves, from one transfer.
std::vector<LeafTotals> run(const std::vector<Planned>& plan, cudaStream_t stream) {
  int device = 0;
  int processors = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  std::vector<int> first{0};
  for (const Planned& leaf : plan) {
    const std::int64_t wanted = (leaf.work.elements + kThreads * kAtOnce - 1) / (kThreads * kAtOnce);
    first.push_back(first.back() + static_cast<int>(std::min<std::int64_t>(wanted, processors * kBlocksPerProcessor)));
  }
  const Buffer<LeafTotals> partials(static_cast<std::size_t>(first.back()), stream);
  const Buffer<LeafTotals> totals(plan.size(), stream);
  const Buffer<int> bounds(first.size(), stream);
  check(cudaMemcpyAsync(bounds.get(), first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice, stream));
  for (std::size_t i = 0; i < plan.size(); ++i)
    launch(plan[i].work, first[i + 1] - first[i], partials.get() + first[i], stream);
  merge_partials<<<static_cast<unsigned>(plan.size()), kWarp, 0, stream>>>(partials.get(), bounds.get(), totals.get());
  check(cudaGetLastError());
  std::vector<LeafTotals> result(plan.size());
  check(cudaMemcpyAsync(result.data(), totals.get(), plan.size() * sizeof(LeafTotals), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  return result;
}

}  // namespace

MeasuredLeaves measure_leaves_on_device(const RunRecord& eager, const RunRecord& compiled, const RunRecord* reference,
                                        const SameSettings& settings, void* stream) {
  std::vector<Planned> plan;
  for (const LeafTriple& triple : triples_of(eager, compiled, reference)) {
    const layout::Walk walk = triple.reference != nullptr
                                  ? layout::walk_together({triple.eager, triple.compiled, triple.reference})
                                  : layout::walk_together({triple.eager, triple.compiled});
    if (walk.dimensions.size() > kMostDimensions) continue;
    if (!on_device(*triple.eager, eager) || !on_device(*triple.compiled, compiled)) continue;
    if (triple.reference != nullptr && !on_device(*triple.reference, *reference)) continue;
    Planned leaf{triple.eager->path, {}, walk.repeats};
    leaf.work.operands[0] = scan::operand_of(*triple.eager, eager);
    leaf.work.operands[1] = scan::operand_of(*triple.compiled, compiled);
    if (triple.reference != nullptr) leaf.work.operands[2] = scan::operand_of(*triple.reference, *reference);
    std::copy(walk.dimensions.begin(), walk.dimensions.end(), leaf.work.dimensions);
    leaf.work.dimension_count = static_cast<int>(walk.dimensions.size());
    leaf.work.elements = layout::element_count(*triple.eager) / walk.repeats;
    leaf.work.closeness = closeness_of(triple.eager->dtype, settings.tolerance, settings.equal_nan);
    leaf.work.tolerances = {default_tolerance(triple.eager->dtype), default_tolerance(leaf.work.operands[2].dtype)};
    leaf.work.scale = 1;
    if (are_aligned(leaf.work)) plan.push_back(std::move(leaf));
  }
  MeasuredLeaves measured;
  if (plan.empty()) return measured;
  std::vector<Planned> again;
  const auto on = static_cast<cudaStream_t>(stream);
  std::vector<LeafTotals> totals = run(plan, on);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (overflows(totals[i])) {
      again.push_back(plan[i]);
      again.back().work.scale = MeasuredLeaf::kScale;
    }
    repeat(totals[i], plan[i].repeats);
    measured.emplace(plan[i].path, MeasuredLeaf{totals[i], {}, plan[i].work.operands[2].first != nullptr});
  }
  if (again.empty()) return measured;
  std::vector<LeafTotals> scaled = run(again, on);
  for (std::size_t i = 0; i < again.size(); ++i) {
    repeat(scaled[i], again[i].repeats);
    measured[again[i].path].scaled = scaled[i];
  }
  return measured;
}

}  // namespace parityd::oracle
