// Marks short functions in headers that run on both the processor and the GPU (measure.cu).
#pragma once

#ifdef __CUDACC__
#define PARITYD_PORTABLE __host__ __device__
#else
#define PARITYD_PORTABLE
#endif
