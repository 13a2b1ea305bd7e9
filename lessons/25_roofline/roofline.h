// The contract of the lesson: kernels that do one thing only, as fast as the machine can. A rung defines one.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Copies, bit by bit: `out[i] = in[i]`.
///
/// @param[out] out  device, float [n], at a multiple of 16 bytes; does not overlap @p in
/// @param[in]  in   device, float [n], at a multiple of 16 bytes
/// @param      n    >= 0; 0 launches nothing
/// @return cudaSuccess, or the launch error
/// @note Moves 2 * n * sizeof(float) bytes, 0 flop.
cudaError_t move(float* out, const float* in, std::int64_t n);  // rung 1

/// Follows a chain through memory: starts at 0, goes from `i` to `next[i]` @p hops times, and writes where it
/// arrived to `out[0]`. It is one chain: no hop can begin before the last one has ended.
///
/// @param[out] out   device, one element
/// @param[in]  next  device, unsigned [n]; of interest are the elements at multiples of 32 only (one for each
///                   line of 128 bytes), each of which holds another such multiple, below n
/// @param      hops  >= 0
/// @return cudaSuccess, or the launch error
cudaError_t chase(unsigned* out, const unsigned* next, std::int64_t hops);  // rung 2

constexpr int kTable = 1024;  ///< elements of sum_table()'s table

/// Adds elements of a small table: `out[i]` is the sum over s < @p steps of `table[(i + s) % kTable]`.
///
/// @param[out] out    device, float [n]; does not overlap @p table
/// @param[in]  table  device, float [kTable]
/// @param      n      >= 0; 0 launches nothing
/// @param      steps  0 to kTable
/// @return cudaSuccess, or the launch error
/// @note n * steps elements of the table are read, 4 bytes each.
cudaError_t sum_table(float* out, const float* table, int n, int steps);  // rung 3

constexpr double kFactor = 1 - 0x1p-11, kTerm = 0x1p-9;  ///< of settle(), exact in float

/// Applies `x = kFactor * x + kTerm` to each element, @p steps times: `out[i]` is what `in[i]` becomes.
///
/// @param[out] out    device [n]; does not overlap @p in
/// @param[in]  in     device [n]
/// @param      n      >= 0; 0 launches nothing
/// @param      steps  >= 0
/// @return cudaSuccess, or the launch error
/// @note Moves 2 * n elements; 2 * n * steps flop, that is steps / 4 flop for each byte in single precision.
cudaError_t settle(float* out, const float* in, std::int64_t n, int steps);    // rung 4
cudaError_t settle(double* out, const double* in, std::int64_t n, int steps);  // rung 5

struct __half;             // of <cuda_fp16.h>
constexpr int kSide = 16;  ///< rows and columns of add_products()'s matrices

/// Adds the product of two small matrices to nothing, again and again: `out[t] = steps * (a[t] x b[t])`, by
/// @p steps products and additions, as a matrix product with a long inner extent would.
///
/// @param[out] out    device, float [n][kSide][kSide], row-major, at a multiple of 32 bytes
/// @param[in]  a      device, half [n][kSide][kSide], row-major, at a multiple of 32 bytes
/// @param[in]  b      device, half [n][kSide][kSide], row-major, at a multiple of 32 bytes
/// @param      n      >= 0; 0 launches nothing
/// @param      steps  >= 0
/// @return cudaSuccess, or the launch error
/// @note 2 * kSide^3 * steps * n flop. Sums in single precision.
cudaError_t add_products(float* out, const __half* a, const __half* b, int n, int steps);  // rung 6
