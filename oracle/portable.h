// Marks functions of a few header lines that run on both the processor and the GPU (measure.cu).
#pragma once

#ifdef __CUDACC__
#define PARITYD_PORTABLE __host__ __device__
#else
#define PARITYD_PORTABLE
#endif
