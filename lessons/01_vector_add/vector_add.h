// The contract of the lesson: where the vectors live is the rung's choice, what they add up to is not.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kStreams = 3;  ///< streams that a rung may keep in Vectors

/// Two inputs and an output of @p n floats each, and whatever a rung keeps beside them.
struct Vectors {
  std::int64_t n = 0;  ///< elements of each vector, >= 0

  float* a = nullptr;    ///< [n], the host writes it before vector_add()
  float* b = nullptr;    ///< [n], likewise
  float* out = nullptr;  ///< [n], the host reads it after vector_add()

  float* d_a = nullptr;  ///< device copies, for rungs that copy by hand
  float* d_b = nullptr;
  float* d_out = nullptr;
  cudaStream_t streams[kStreams] = {};  ///< for rungs that overlap
};

/// Allocates what the rung needs. Not timed.
///
/// @param[out] v  its pointers are set; `v.a`, `v.b` and `v.out` can be used by the host
/// @param      n  elements, >= 0; for 0 the pointers may be null
/// @return cudaSuccess
/// @throws ladder::CudaError when an allocation fails
cudaError_t vector_add_allocate(Vectors& v, std::int64_t n);

/// Adds on the GPU: `out[i] = a[i] + b[i]`, of any floats, infinities and NaN included. Timed from the call
/// until the host has seen every page of `out`.
///
/// @param v  as vector_add_allocate(), or an earlier addition, left it, with `a` and `b` filled in by
///           the host; both stay as they are
/// @return cudaSuccess, or the launch error; when it returns the host may read `v.out`
/// @throws ladder::CudaError when a launch, a copy, a prefetch or a synchronisation fails
/// @note Moves 3 * n * sizeof(float) bytes, n flop. n = 0 launches nothing.
cudaError_t vector_add(Vectors& v);

/// Frees what vector_add_allocate() allocated. Not timed.
///
/// @param v  its pointers are null afterwards
/// @return cudaSuccess
/// @throws ladder::CudaError when something can't be freed
cudaError_t vector_add_free(Vectors& v);
