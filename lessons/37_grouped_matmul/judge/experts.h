// What the references of this lesson share: routings, and factors in double.
#pragma once

#include <cuda_bf16.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/matmul_reference.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

// How rows are spread over experts: a variant's last word, which a verdict tells.
inline constexpr const char* kMixed = "mixed";  ///< none, one, about a tile, many, and what is left
inline constexpr const char* kOne = "all to one";
inline constexpr const char* kEven = "evenly";
inline constexpr const char* kSkewed =
    "skewed";  ///< expert number r of popularity has 1 / (r + 8) of a share

/// The same shuffle everywhere: the library's differ.
template <class T>
void shuffle(std::span<T> values, ladder::Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.next() % i]);
}

/// How many rows each expert has.
inline std::vector<std::int64_t> draw_sizes(std::string_view kind, std::int64_t experts, std::int64_t rows,
                                            ladder::Random& random) {
  std::vector<std::int64_t> sizes(experts), order(experts);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(std::span<std::int64_t>(order), random);
  std::int64_t left = rows;
  const auto give = [&](std::int64_t expert, std::int64_t wanted) {
    const std::int64_t given = std::min(wanted, left);
    sizes[expert] += given;
    left -= given;
  };
  double shares = 0;
  for (std::int64_t rank = 0; rank < experts; ++rank) shares += 1 / (static_cast<double>(rank) + 8);
  for (std::int64_t rank = 0; rank < experts; ++rank) {
    const std::int64_t expert = order[rank], any = static_cast<std::int64_t>(random.next() % (rows + 1));
    if (kind == kEven)
      give(expert, (rows + experts - 1 - rank) / experts);
    else if (kind == kSkewed)
      give(expert, std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(rows) / shares /
                                                                       (static_cast<double>(rank) + 8))));
    else if (kind == kMixed)  // a tile is 128 rows high, and its half 64
      give(expert, rank % 5 == 0   ? 0
                   : rank % 5 == 1 ? 1
                   : rank % 5 == 2 ? 127 + any % 3
                   : rank % 5 == 3 ? 63 + any % 3
                                   : any);
  }
  give(order[0], kind == kMixed && experts > 1 ? 0 : left);
  give(order[experts - 1], left);
  return sizes;
}

/// Rows before each expert, and of all.
inline std::vector<int> starts(std::span<const std::int64_t> sizes) {
  std::vector<int> start(sizes.size() + 1);
  for (std::size_t e = 0; e < sizes.size(); ++e) start[e + 1] = start[e] + static_cast<int>(sizes[e]);
  return start;
}

/// The expert that each pair chooses.
inline std::vector<int> draw_choices(std::span<const std::int64_t> sizes, ladder::Random& random) {
  std::vector<int> choice;
  for (std::size_t e = 0; e < sizes.size(); ++e) choice.insert(choice.end(), sizes[e], static_cast<int>(e));
  shuffle(std::span<int>(choice), random);
  return choice;
}

/// The pairs by expert, those of the same expert in order.
inline std::vector<int> sorted_pairs(std::span<const int> choice, std::span<const int> start) {
  std::vector<int> pair(choice.size()), next(start.begin(), start.end());
  for (std::size_t i = 0; i < choice.size(); ++i) pair[next[choice[i]]++] = static_cast<int>(i);
  return pair;
}

/// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
inline void fill(std::span<__nv_bfloat16> matrix, ladder::Random& random) {
  random.uniform(matrix, __float2bfloat16(-0.5f), __float2bfloat16(0.5f));
  ladder::parallel_for(static_cast<std::int64_t>(matrix.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float drawn = __bfloat162float(matrix[i]);
      matrix[i] = __float2bfloat16(drawn + (drawn < 0 ? -0.5f : 0.5f));
    }
  });
}

/// The elements of a matrix [rows][cols] as those of its transpose, [cols][rows].
inline std::vector<float> transposed(std::span<const __nv_bfloat16> matrix, std::int64_t rows,
                                     std::int64_t cols) {
  std::vector<float> floats(matrix.size());
  ladder::parallel_for(rows * cols, [&](std::int64_t begin, std::int64_t end) {
    // A row is the piece's that it begins in.
    for (std::int64_t row = (begin + cols - 1) / cols; row * cols < end; ++row)
      for (std::int64_t col = 0; col < cols; ++col)
        floats[col * rows + row] = __bfloat162float(matrix[row * cols + col]);
  });
  return floats;
}

/// Products of two bf16 are exact in a float. A Tensor Core cuts off what does not fit, rather than round:
/// each step of 16 loses up to 2^-23 of a sum that is about sqrt(products), always with the same sign.
/// Rounding the sum to bf16, once, is another 2^-8 of it.
inline ladder::Tolerance tolerance_of_sums(std::int64_t products) {
  return {.absolute = static_cast<double>(products) * 0x1p-19, .relative = 0x1p-8};
}
