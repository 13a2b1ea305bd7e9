// The contract of the lesson.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

enum class Kind {
  inclusive,  ///< out[i] = in[0] + ... + in[i], the cumulative sum
  exclusive,  ///< out[i] = in[0] + ... + in[i - 1], the prefix sum; out[0] = 0
};

enum class Direction {
  along_rows,    ///< each row by itself, from column 0 on; a vector is a matrix of one row
  down_columns,  ///< each column by itself, from row 0 on
};

/// Room for intermediate results that a rung is given, in words of 8 bytes.
constexpr std::int64_t scratch_words(std::int64_t rows, std::int64_t cols) {
  return rows * (cols / 512 + 2) + 1024;  // a library asks for a few KiB however short the rows
}

/// Sums up every row, or every column, of a row-major matrix, and keeps each sum on the way.
///
/// @param[out] out        device, int [rows][cols], row-major; does not overlap @p in
/// @param[in]  in         device, int [rows][cols], row-major; no sum on the way overflows an int
/// @param      rows       rows of both, elements, >= 0
/// @param      cols       columns of both, elements, >= 0; rows * cols may exceed 2^31
/// @param      kind       whether an element's own value counts in its sum
/// @param      direction  what is summed up; rung 2 and those above care only about rows
/// @param      scratch    device, [scratch_words(rows, cols)], at a multiple of 8 bytes; contents undefined
///                        before and after
/// @return cudaSuccess, or the first error of a launch or a memset; a zero extent launches nothing
/// @note Moves 2 * rows * cols * sizeof(int) bytes, does rows * cols additions.
/// @see  D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back"
cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch);
