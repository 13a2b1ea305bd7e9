// The contract of the lesson: each rung defines what stands under its number. That of rung 6 is blank_page.h.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

constexpr int kMostLines = 64;  ///< rung 1: a larger grid than this prints nothing
constexpr int kPiece = 256;     ///< rung 4: elements of a piece of reverse_static()

// Rung 1

/// Every thread of a grid writes down its number: `seen[i] = i`, by thread `i % threads` of block `i /
/// threads`. In a grid of at most kMostLines threads each thread prints a line, too.
///
/// @param[out] seen     device, int [blocks * threads]
/// @param      blocks   of the grid, 1 to 10,000
/// @param      threads  of each block, 1 to 1024
/// @return cudaSuccess, or the first error; when it returns, all threads have ended
cudaError_t hello(int* seen, int blocks, int threads);

// Rung 2

/// Writes down which thread has element i: `block_of[i] = i / threads`, `thread_of[i] = i % threads`, each
/// written by that very thread.
///
/// @param[out] block_of   device, int [n]
/// @param[out] thread_of  device, int [n]
/// @param      n          elements, >= 0; for 0 nothing is launched
/// @param      threads    of each block, 1 to 1024
/// @return cudaSuccess, or the first error, such as that of a refused launch. No error is left behind
///         for the next cudaGetLastError(). When it returns, all threads have ended
cudaError_t places(int* block_of, int* thread_of, int n, int threads);

// Rung 3

/// What a program may ask of the GPU that it runs on.
struct Device {
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;  ///< that it holds at most
  int threads_per_block = 0;           ///< at most
  std::int64_t memory_bytes = 0;       ///< of global memory
  std::int64_t shared_bytes = 0;       ///< of shared memory, that a block may have without asking for more
  int l2_bytes = 0;                    ///< of the L2 cache
  int memory_clock_khz = 0;            ///< clock of the memory, kHz
  int bus_bits = 0;                    ///< width of the path to the memory, bits
  std::int64_t threads = 0;            ///< computed: that the whole GPU holds at a time
  double peak_gbs = 0;                 ///< computed: peak_bandwidth() of the two above
};

/// Describes device 0.
/// @param[out] device  all of its members are set
/// @return cudaSuccess, or the first error
cudaError_t query_device(Device& device);

/// The bandwidth of memory with two transfers a clock (DDR, which all memory of GPUs is counted as).
/// @param memory_clock_khz  kHz, >= 0
/// @param bus_bits          bits that a transfer moves, >= 0
/// @return 10^9 bytes a second
double peak_bandwidth(int memory_clock_khz, int bus_bits);

// Rung 4

/// Reverses every piece of kPiece elements in its place: the first of a piece becomes its last. The last
/// piece may be shorter. The shared memory has a size that the compiler knows.
///
/// @param[in,out] data  device, float [n]
/// @param         n     elements, >= 0
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
cudaError_t reverse_static(float* data, int n);

/// The same for pieces of any length: shared memory of a size that the launch says.
///
/// @param[in,out] data   device, float [n]
/// @param         n      elements, >= 0
/// @param         piece  elements of a piece, 1 to 1024
/// @return cudaSuccess, or the launch error; n = 0 launches nothing
cudaError_t reverse_dynamic(float* data, int n, int piece);

// Rung 5

/// Times a kernel that computes `out[i] = 2 * in[i] + 1`: once unmeasured, then `runs` times between two
/// events.
///
/// @param[out] out   device, float [n]; does not overlap @p in
/// @param[in]  in    device, float [n]
/// @param      n     elements, >= 1
/// @param      runs  that are measured, >= 1
/// @param[out] ms    mean time of a run, milliseconds
/// @return cudaSuccess, or the first error; what it makes it destroys
cudaError_t time_kernel(float* out, const float* in, int n, int runs, float& ms);

/// Compares on the CPU. An element is right if it lies within @p tolerance of the wanted one; a NaN is wrong.
///
/// @param got, want  host, float [n]; @p want has no NaN and no infinity
/// @param n          elements, >= 0
/// @param tolerance  >= 0
/// @return how many elements are wrong
int count_wrong(const float* got, const float* want, int n, float tolerance);
