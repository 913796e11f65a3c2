// The fused measurement on the GPU (measure.cu): the leaves of measure.h whose storages lie in device memory.
// There only where a CUDA compiler was found; no torch header is needed.
#pragma once

#include "oracle/measure/measure.h"

namespace parityd::oracle {

/// As measure_leaves(), on `stream` (a cudaStream_t; null: the default one), with one transfer to the host for all
/// leaves. Left out are leaves that lie on the host in one of the records, leaves of more than 16 dimensions that do
/// not merge, and elements not aligned to their size. torch's isclose of half types rounds otherwise on the GPU: `far`
/// is what torch says of the copies on the host. Throws std::runtime_error.
[[nodiscard]] MeasuredLeaves measure_leaves_on_device(const RunRecord& eager, const RunRecord& compiled,
                                                      const RunRecord* reference, const SameSettings& settings,
                                                      void* stream);

}  // namespace parityd::oracle
