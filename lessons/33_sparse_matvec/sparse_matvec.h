// The contract of the lesson: two functions, of which a rung defines one. Both compute y = A x for a matrix
// of which only the entries that are not 0 are stored; what differs is how they are stored. Arrays start at
// multiples of 256 bytes and do not overlap.
#pragma once

#include <cuda_runtime_api.h>

constexpr int kSlice = 32;     ///< rows whose entries a sliced ELL stores together: a warp's
constexpr int kWindow = 1024;  ///< rows among which those of a slice are chosen by their length
constexpr int kShare = 16;     ///< steps of the merge path for which there is one Carry

/// A matrix in compressed sparse rows, CSR. Entry i of row r, for i from row_start[r] up to, and without,
/// row_start[r + 1], is values[i] in column columns[i].
struct Csr {
  const int* row_start;  ///< device, [rows + 1]; ascends from 0 to `entries`; an empty row starts where the
                         ///< next one does
  const int* columns;    ///< device, [entries], each from 0 to cols - 1; ascending within a row, may repeat
  const float* values;   ///< device, [entries]
  int rows;              ///< >= 0
  int cols;              ///< >= 1
  int entries;           ///< >= 0; rows + entries < 2^31
};

/// The sum of a row's entries that was begun in one place and is finished in another.
struct Carry {
  int row;
  float sum;
};

/// How many of them there is memory for.
constexpr int carries_of(int rows, int entries) { return (rows + entries) / kShare + 1; }

/// @param[out] y        device, float [rows]; a row without entries becomes 0
/// @param[in]  a        the matrix
/// @param[in]  x        device, float [cols]
/// @param      carries  device, Carry [carries_of(rows, entries)]: memory for whatever a rung hands on
/// @return cudaSuccess, or the launch error; no rows launch nothing
/// @note Reads 8 * entries + 4 * rows + 4 * cols bytes and writes 4 * rows, for 2 * entries flop. Sums may
///       take any order: what is in the arrays is chosen such that none rounds.
/// @see  D. Merrill and M. Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", SC 2016
cudaError_t sparse_matvec(float* y, const Csr& a, const float* x, Carry* carries);  // rungs 1 to 4

/// A matrix in sliced ELL, SELL-C-sigma with C = kSlice and sigma = kWindow. The rows of a window are sorted
/// by their length, the longest first; kSlice neighbours in that order make a slice. A slice has as many
/// places a row as its longest row has entries, and place j of all of its rows lies together: that of the
/// slice's row l is element slice_start[s] + j * kSlice + l of both arrays.
struct Sell {
  const int* slice_start;  ///< device, [slices + 1]; multiples of kSlice
  const int* order;        ///< device, [slices * kSlice]: the row of y that place has; kNone behind the last
  const int* columns;      ///< device, [slice_start[slices]]; kNone where the row has no entry
  const float* values;     ///< device, [slice_start[slices]]; anything where the row has no entry
  int rows;                ///< >= 0; slices = (rows + kSlice - 1) / kSlice
  int cols;                ///< >= 1
};

constexpr int kNone = -1;  ///< no column, or no row

/// The same with a matrix in sliced ELL.
/// @see  M. Kreutzer, G. Hager, G. Wellein, H. Fehske and A. R. Bishop, "A Unified Sparse Matrix Data Format
///       for Efficient General Sparse Matrix-Vector Multiplication on Modern Processors with Wide SIMD
///       Units", SIAM Journal on Scientific Computing 36 (2014)
cudaError_t sell_matvec(float* y, const Sell& a, const float* x);  // rung 5
