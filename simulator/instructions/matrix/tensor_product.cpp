#include "simulator/instructions/matrix/tensor_product.h"

#include <algorithm>
#include <memory>

#include "simulator/instructions/matrix/tensor_core.h"

namespace sim::exec {
namespace {

constexpr std::size_t kSteps = 16, kRows = kRowsOfWarp, kColumns = kWidest;
constexpr std::size_t kRegisters = kRows * kColumns / kLanes;  ///< sums of a lane

/// Sums of 16 rows and 256 columns, spread over lanes as those of a warp.
struct Sums {
  alignas(64) f32 lanes[kRegisters][kLanes] = {};
};

template <Element E>
s32 exponent_of(f32 number) {
  return aligned_exponent<E>(E == Element::f16 ? u32(to_f16(number)) : u32(to_bf16(number)));
}

/// Up to 256 columns of a product: a step of them is read once for all rows.
template <Element E>
void multiply_panel(const f32* a, const f32* b, std::size_t m, std::size_t columns, std::size_t k, f32* to) {
  const SumRule rule{.least = E == Element::f16 ? kLeastOfF16 : -126};
  std::vector<Sums> sums((m + kRows - 1) / kRows);
  const auto rows = std::make_unique<WarpRows<f32>>();
  const auto panel = std::make_unique<QuadColumns<f32>>();
  for (std::size_t k0 = 0; k0 < k; k0 += kSteps) {
    for (std::size_t j = 0; j < kColumns; ++j)
      for (std::size_t l = 0; l < kSteps; ++l) {
        const f32 v = j < columns && k0 + l < k ? b[j * k + k0 + l] : 0.0f;
        panel->set(int(j), int(l), v, exponent_of<E>(v));
      }
    for (std::size_t block = 0; block < sums.size(); ++block) {
      for (std::size_t l = 0; l < kSteps; ++l)
        for (std::size_t i = 0; i < kRows; ++i) {
          const std::size_t row = block * kRows + i;
          const f32 v = row < m && k0 + l < k ? a[(k0 + l) * m + row] : 0.0f;
          rows->set(int(i), int(l), v, exponent_of<E>(v));
        }
      alignas(64) f64 exact[kLanes];
      for (std::size_t r = 0; r < (columns + 7) / 8 * 4; ++r) {
        f32* const sum = sums[block].lanes[r];
        add_products(rule, *rows, int(r / 2 % 2), *panel, int(r / 4 * 2 + r % 2), sum, exact);
        cut_lanes(exact, rule, sum);
      }
    }
  }
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i < m; ++i) {
      const std::size_t half = i % kRows / 8, lane = i % 8 * 4 + j % 8 / 2;
      to[j * m + i] = sums[i / kRows].lanes[j / 8 * 4 + half * 2 + j % 2][lane];
    }
}

}  // namespace

std::vector<float> tensor_product(Half format, const std::vector<float>& a, const std::vector<float>& b,
                                  std::size_t m, std::size_t n, std::size_t k) {
  std::vector<float> c(m * n);
  for (std::size_t j = 0; j < n; j += kColumns) {
    const std::size_t columns = std::min(n - j, kColumns);
    const auto multiply =
        format == Half::f16 ? &multiply_panel<Element::f16> : &multiply_panel<Element::bf16>;
    multiply(a.data(), b.data() + j * k, m, columns, k, c.data() + j * m);
  }
  return c;
}

}  // namespace sim::exec
