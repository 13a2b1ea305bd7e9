// The double-precision truth that the lessons on matrix products compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "grader/lesson/parallel.h"

namespace ladder {

/// Adds the product of two row-major matrices to a third, in double: c[i][j]
/// += sum over l of a[i][l] * b[l][j]. Works on a few rows and a strip of
/// columns at a time, which stay in the CPU's first cache, on all cores.
///
/// @param c  double [m][n], row-major
/// @param a  float [m][k], row-major
/// @param b  float [k][n], row-major
inline void add_product(std::span<double> c, std::span<const float> a, std::span<const float> b,
                        std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t kRows = 8, kStrip = 128;  // 8 KiB of c
  constexpr std::int64_t kDeep = 4;                // products added to an element of c at a time
  // Pieces of the range are cut at multiples of 65536
  // elements of c: rows where a piece begins or ends inside.
  parallel_for(m * n, [&](std::int64_t begin, std::int64_t end) {
    const auto add = [&](std::int64_t row, std::int64_t col0, std::int64_t l, std::int64_t deep) {
      const std::int64_t from = std::max(col0, begin - row * n);
      const std::int64_t to = std::min({col0 + kStrip, n, end - row * n});
      const float *factor = &a[row * k + l], *other = &b[l * n];
      double* const sum = &c[row * n];
      if (deep == kDeep) {
        const double f0 = factor[0], f1 = factor[1], f2 = factor[2], f3 = factor[3];
        for (std::int64_t col = from; col < to; ++col)
          sum[col] +=
              f0 * other[col] + f1 * other[n + col] + f2 * other[2 * n + col] + f3 * other[3 * n + col];
      } else {
        for (std::int64_t i = 0; i < deep; ++i)
          for (std::int64_t col = from; col < to; ++col) sum[col] += double{factor[i]} * other[i * n + col];
      }
    };
    for (std::int64_t row0 = begin / n; row0 * n < end; row0 += kRows)
      for (std::int64_t col0 = 0; col0 < n; col0 += kStrip)
        for (std::int64_t l = 0; l < k; l += kDeep)
          for (std::int64_t row = row0; row < std::min(row0 + kRows, (end + n - 1) / n); ++row)
            add(row, col0, l, std::min(kDeep, k - l));
  });
}

/// One element of such a product, for matrices that no memory holds.
///
/// @param in  double(name, index): an element of "a" [m][k] or "b" [k][n]; the sum is exact where a double
/// holds it
/// @param i   row * n + column
template <class In>
double product_element(const In& in, std::int64_t i, std::int64_t n, std::int64_t k) {
  double sum = 0;
  for (std::int64_t l = 0; l < k; ++l) sum += in("a", i / n * k + l) * in("b", l * n + i % n);
  return sum;
}

}  // namespace ladder
