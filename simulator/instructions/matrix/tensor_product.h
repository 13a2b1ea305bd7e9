// Whole matrix products of 16-bit numbers, as a library's kernel forms them with the tensor cores.
#pragma once

#include <cstddef>
#include <vector>

namespace sim::exec {

/// 16-bit formats of the factors; the numbers themselves are given as floats.
enum class Half : unsigned char { f16, bf16 };

/// a * b with sums in f32: steps of 16, in their order, each added at once to the sum before it, to the bit
/// as wgmma does it (tensor_sum.h). A library that splits k among blocks adds in another order.
/// @param a  m x k, column by column: numbers of @p format
/// @param b  k x n, column by column
/// @return m x n, column by column
std::vector<float> tensor_product(Half format, const std::vector<float>& a, const std::vector<float>& b,
                                  std::size_t m, std::size_t n, std::size_t k);

}  // namespace sim::exec
