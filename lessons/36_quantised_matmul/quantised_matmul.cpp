// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "quantised_matmul.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/matmul_reference.h"
#include "grader/lesson/lesson.h"
#include "judge/numbers.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t int8_matmul(__nv_bfloat16*, const signed char*, const signed char*, const float*, const float*,
                        int, int, int) __attribute__((weak));
cudaError_t int4_matmul(__nv_bfloat16*, const __nv_bfloat16*, const unsigned*, const __nv_bfloat16*, int, int,
                        int) __attribute__((weak));
cudaError_t fp8_matmul(__nv_bfloat16*, const unsigned char*, const unsigned char*, const float*, const float*,
                       int, int, int) __attribute__((weak));

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

// What a case's variant begins with: the function.
constexpr const char* kInt8 = "int8_matmul";
constexpr const char* kInt4 = "int4_matmul";
constexpr const char* kFp8 = "fp8_matmul";

constexpr float kLeastScale = 0x1p-7f, kMostScale = 0x1p-6f;

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }
bool is_large(const Case& which) { return which.variant.ends_with(", large"); }

Case shape(std::string variant, std::int64_t m, std::int64_t n, std::int64_t k,
           Case::Use use = Case::Use::check) {
  return {{{"m", m}, {"n", n}, {"k", k}}, std::move(variant), use};
}

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

class QuantisedMatmul : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const bool gpu = device == ladder::DeviceKind::gpu;
    for (const char* const function : {kInt8, kFp8}) {
      // Around the edges of 16 and 64 rows, of tiles of 128 and 256, and of steps of 32 and 128; more steps
      // than a ring has stages, so that every phase comes twice; nothing to add; no matrix at all.
      constexpr std::int64_t kShapes[][3] = {
          {1, 8, 16},      {3, 8, 0},     {0, 8, 16},       {4, 0, 16},      {16, 16, 32}, {2, 8, 144},
          {64, 64, 64},    {63, 72, 112}, {65, 64, 272},    {128, 128, 128}, {9, 8, 1808}, {129, 8, 48},
          {127, 136, 144}, {5, 264, 32},  {200, 120, 1408}, {257, 256, 160}};
      for (const auto& [m, n, k] : kShapes) cases.push_back(shape(function, m, n, k));
      // Every number the largest, or all of one sign: the sums are as large as they get.
      cases.push_back(shape(std::string(function) + ", large", 2, 8, 4096));
      cases.push_back(shape(std::string(function) + ", large", 20, 24, 1040));
      if (gpu) {
        cases.push_back(shape(function, 1021, 1032, 2032));
        cases.push_back(shape(function, 100'003, 8, 48));  // a prime; many tiles one below the other
        cases.push_back(shape(function, 8, 100'016, 48));
        cases.push_back(shape(function, 4096, 4096, 4096, Case::Use::time));
      } else {
        cases.push_back(shape(function, 2100, 2056, 208));  // more tiles than multiprocessors
        cases.push_back(shape(function, 2816, 2048, 256, Case::Use::time));
      }
    }
    // Around 8 rows of activations, 16 and 128 rows of weights, and the groups that two teams have in their
    // rings.
    constexpr std::int64_t kFew[][3] = {{1, 16, 128},  {16, 0, 128},   {0, 16, 128},    {5, 16, 0},
                                        {16, 64, 128}, {8, 64, 384},   {9, 16, 256},    {3, 16, 1152},
                                        {16, 32, 128}, {9, 80, 512},   {7, 48, 640},    {16, 128, 1024},
                                        {1, 144, 384}, {15, 144, 896}, {16, 208, 2176}, {3, 16, 3968}};
    for (const auto& [m, n, k] : kFew) cases.push_back(shape(kInt4, m, n, k));
    if (gpu) {
      cases.push_back(shape(kInt4, 13, 4112, 4096));
      cases.push_back(shape(kInt4, 16, 100'016, 256));
      cases.push_back(shape(kInt4, 16, 28'672, 8192, Case::Use::time));
    } else {
      cases.push_back(shape(kInt4, 16, 8448, 1024, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    if (is(which, kInt4)) return which["m"] <= kMostRows && which["n"] % 16 == 0 && which["k"] % kGroup == 0;
    return which["n"] % 8 == 0 && which["k"] % 16 == 0;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("int4") ? kInt4 : has("fp8") ? kFp8 : kInt8);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t m = which["m"], n = which["n"], k = which["k"];
    // Arrays in the order of the contract, whose first is the output.
    problem.output<Bf16>("c", {m, n});
    if (is(which, kInt4)) {
      const auto a = problem.input<Bf16>("a", {m, k});
      random.uniform(a, __float2bfloat16(-1.0f), __float2bfloat16(1.0f));
      for (Bf16& value : a) value = __float2bfloat16(away_from_zero(__bfloat162float(value)));
      random.uniform(problem.input<unsigned>("w", {n / 16, k / kGroup, 16, kGroup / 8}), 0, ~0u);
      random.uniform(problem.input<Bf16>("w_scale", {k / kGroup, n}), __float2bfloat16(kLeastScale),
                     __float2bfloat16(kMostScale));
      return;
    }
    if (is(which, kInt8)) {
      for (const auto& [name, rows] : {std::pair{"a", m}, {"b", n}}) {
        const auto matrix = problem.input<signed char>(name, {rows, k});
        random.uniform(matrix, -127, 127);
        // Rows of the largest number, of one sign or the other.
        if (is_large(which))
          for (std::int64_t i = 0; i < rows * k; ++i) matrix[i] = i / k % 3 == 1 ? -127 : 127;
      }
    } else {
      for (const auto& [name, rows] : {std::pair{"a", m}, {"b", n}}) {
        const auto matrix = problem.input<unsigned char>(name, {rows, k});
        std::vector<float> drawn(matrix.size());
        random.uniform(std::span<float>(drawn), is_large(which) ? 0.0f : -240.0f, 240.0f);
        for (std::size_t i = 0; i < drawn.size(); ++i) matrix[i] = to_e4m3(drawn[i]);
      }
    }
    random.uniform(problem.input<float>("a_scale", {m}), kLeastScale, kMostScale);
    random.uniform(problem.input<float>("b_scale", {n}), kLeastScale, kMostScale);
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const std::int64_t m = which["m"], n = which["n"], k = which["k"];
    if (is(which, kInt4)) return reference_of_int4(problem);
    if (is(which, kInt8)) {
      // A double holds sums of integers exactly. What is left is the conversion of the sum to a float, two
      // products, and rounding to bf16.
      const auto c = problem.expect("c", {.relative = 0x1.01p-8});
      const auto number = [](signed char value) { return static_cast<float>(value); };
      ladder::add_product(c, as_floats(problem.read<signed char>("a"), number),
                          as_floats_transposed(problem.read<signed char>("b"), n, k, number), m, n, k);
      scale(problem, c);
    } else {
      // What the Tensor Cores cut off: see the contract. Products are 240 * 240 at most. A sum that goes far
      // and comes back keeps what it lost there: of 208 products and four million sums the worst seen is
      // 0x1.ap-15 a product.
      const double largest = 240.0 * 240.0 * kMostScale * kMostScale;
      const auto c = problem.expect(
          "c", {.absolute = static_cast<double>(k) * 0x1p-14 * largest, .relative = kFp8Tolerance});
      ladder::add_product(c, as_floats(problem.read<unsigned char>("a"), from_e4m3),
                          as_floats_transposed(problem.read<unsigned char>("b"), n, k, from_e4m3), m, n, k);
      scale(problem, c);
    }
  }

  ladder::Work work(const Case& which) const override {
    const double m = static_cast<double>(which["m"]), n = static_cast<double>(which["n"]);
    const double k = static_cast<double>(which["k"]);
    if (is(which, kInt4))
      return {.bytes_read = n * k / 2 + n * k / kGroup * sizeof(Bf16) + m * k * sizeof(Bf16),
              .bytes_written = m * n * sizeof(Bf16),
              .flops = 2 * m * n * k,
              .unit = ladder::Unit::tensor};
    // Products of bytes take half the time of those of 16 bits, whose peak the unit has: so half of them are
    // counted.
    return {.bytes_read = (m + n) * k + (m + n) * sizeof(float),
            .bytes_written = m * n * sizeof(Bf16),
            .flops = m * n * k,
            .unit = ladder::Unit::warpgroup};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    Bf16* const c = arguments.get<Bf16>("c");
    const int m = get(which, "m"), n = get(which, "n"), k = get(which, "k");
    if (is(which, kInt4)) {
      if (&int4_matmul == nullptr)
        throw ladder::Objection("this rung lacks int4_matmul(__nv_bfloat16*, ...)");
      return int4_matmul(c, arguments.get<Bf16>("a"), arguments.get<unsigned>("w"),
                         arguments.get<Bf16>("w_scale"), m, n, k);
    }
    const float* const a_scale = arguments.get<float>("a_scale");
    const float* const b_scale = arguments.get<float>("b_scale");
    if (is(which, kFp8)) {
      if (&fp8_matmul == nullptr) throw ladder::Objection("this rung lacks fp8_matmul(__nv_bfloat16*, ...)");
      return fp8_matmul(c, arguments.get<unsigned char>("a"), arguments.get<unsigned char>("b"), a_scale,
                        b_scale, m, n, k);
    }
    if (&int8_matmul == nullptr) throw ladder::Objection("this rung lacks int8_matmul(__nv_bfloat16*, ...)");
    return int8_matmul(c, arguments.get<signed char>("a"), arguments.get<signed char>("b"), a_scale, b_scale,
                       m, n, k);
  }

 private:
  /// Of sums that go on in single precision after 256 products or fewer, the Tensor Cores cut off up to 2^-9,
  /// where all products have one sign; rounding the result to bf16 takes another 2^-8.
  static constexpr double kFp8Tolerance = 0x1.8p-8;

  /// Multiplies sums by the scales of their row and column.
  static void scale(const ladder::Problem& problem, std::span<double> sums) {
    const auto a_scale = problem.read<float>("a_scale"), b_scale = problem.read<float>("b_scale");
    const std::size_t n = b_scale.size();
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= double{a_scale[i / n]} * double{b_scale[i % n]};
  }

  static void reference_of_int4(ladder::Problem& problem) {
    const Case& which = problem.which();
    const std::int64_t m = which["m"], n = which["n"], k = which["k"];
    const auto w = problem.read<unsigned>("w");
    const auto w_scale = problem.read<Bf16>("w_scale");
    // Products are up to 1/8. A Tensor Core cuts off up to 2^-23 of a sum in each step of 16, always with the
    // same sign.
    const auto c = problem.expect("c", {.absolute = static_cast<double>(k) * 0x1p-22, .relative = 0x1.01p-8});
    std::vector<float> weights(k * n);  // the transpose
    for (std::int64_t row = 0; row < n; ++row)
      for (std::int64_t l = 0; l < k; ++l) {
        const std::int64_t tile = row / 16 * (k / kGroup) + l / kGroup;
        const std::int64_t word = (tile * 16 + row % 16) * (kGroup / 8) + l % kGroup / 8;
        const int nibble = static_cast<int>(w[word] >> l % 8 * 4 & 15);
        // A small integer times a bf16: exact in a float.
        weights[l * n + row] =
            static_cast<float>(nibble - 8) * __bfloat162float(w_scale[l / kGroup * n + row]);
      }
    ladder::add_product(
        c, as_floats(problem.read<Bf16>("a"), [](Bf16 value) { return __bfloat162float(value); }), weights, m,
        n, k);
  }
};

}  // namespace

LADDER_LESSON(QuantisedMatmul)
