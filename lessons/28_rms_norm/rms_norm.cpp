// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "rms_norm.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "judge/rows.h"

// A rung defines one of the five; the addresses of the others are null.
cudaError_t rms_norm(__nv_bfloat16*, float*, const __nv_bfloat16*, const __nv_bfloat16*, float, int, int)
    __attribute__((weak));
cudaError_t add_rms_norm(__nv_bfloat16*, __nv_bfloat16*, float*, const __nv_bfloat16*, const __nv_bfloat16*,
                         const __nv_bfloat16*, float, int, int) __attribute__((weak));
cudaError_t layer_norm(__nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*, const __nv_bfloat16*,
                       float, int, int) __attribute__((weak));
cudaError_t rope(__nv_bfloat16*, const __nv_bfloat16*, const int*, const float*, int, int, int)
    __attribute__((weak));
cudaError_t swiglu(__nv_bfloat16*, const __nv_bfloat16*, int, int) __attribute__((weak));

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one row or more each

// What a case's variant begins with: the function.
constexpr const char* kNorm = "rms_norm";
constexpr const char* kSum = "add_rms_norm";
constexpr const char* kLayer = "layer_norm";
constexpr const char* kRope = "rope";
constexpr const char* kGlu = "swiglu";

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }

/// What comes behind the function's name and a comma: what is special about the case.
std::string_view kind_of(const Case& which) {
  const std::string_view variant = which.variant;
  const std::size_t comma = variant.find(", ");
  return comma == std::string_view::npos ? kMixed : variant.substr(comma + 2);
}

Case matrix(std::string variant, std::int64_t rows, std::int64_t cols, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"cols", cols}}, std::move(variant), use};
}

Case turning(std::int64_t tokens, std::int64_t heads, std::int64_t dim, std::int64_t positions,
             Case::Use use = Case::Use::check) {
  return {{{"tokens", tokens}, {"heads", heads}, {"dim", dim}, {"positions", positions}}, kRope, use};
}

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

/// Calls @p body(row) for each row, on all cores.
template <class Body>
void for_each_row(std::int64_t rows, const Body& body) {
  ladder::parallel_for(rows * kChunk, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin / kChunk; row * kChunk < end; ++row) body(row);
  });
}

double factor_of(std::span<const Bf16> row) { return 1 / std::sqrt(square_mean(row) + kEpsilon); }

double silu(double gate) { return gate / (1 + std::exp(-gate)); }

/// How far off `out` may be, of the function that @p which is of.
ladder::Tolerance tolerance_of(const Case& which) {
  // Elements minus their mean cancel: a mean of 2^14 that is off by 2^-10 is 2^-15 of the root of the
  // variance, and a mean that is updated step by step is off by some times as much.
  if (is(which, kLayer)) return {.absolute = 0x1p-9, .relative = kRounding};
  // Two products of up to 4 cancel; each is rounded to 2^-24 of its size.
  if (is(which, kRope)) return {.absolute = 0x1p-18, .relative = kRounding};
  // exp(88) is the last that is finite: silu of less than -88 may be 0.
  if (is(which, kGlu)) return {.absolute = 1e-30, .relative = kRounding};
  return {.relative = kRounding};
}

class RmsNorm : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const char* function : {kNorm, kSum, kLayer}) add_norms(cases, function, device);
    // Parts of a head that fill a warp, leave lanes over, or are one lane's; heads that don't divide a
    // warp's.
    constexpr std::int64_t kHeads[][4] = {
        {0, 4, 64, 8},    {3, 0, 64, 8},     {1, 1, 16, 2},   {2, 3, 32, 5},    {5, 1, 64, 7},
        {3, 7, 80, 11},   {4, 8, 128, 300},  {2, 5, 96, 9},   {1, 2, 512, 3},   {2, 33, 16, 4},
        {3, 3, 272, 20},  {9, 4, 128, 1000}, {3, 40, 128, 4}, {2, 65, 64, 500}, {1, 9, 144, 2},
        {17, 6, 256, 90}, {300, 1, 16, 4}};
    for (const auto& [tokens, heads, dim, positions] : kHeads)
      cases.push_back(turning(tokens, heads, dim, positions));
    for (const auto& [rows, cols] : {std::pair{0, 8},
                                     {3, 0},
                                     {1, 8},
                                     {2, 24},
                                     {5, 40},
                                     {3, 256},
                                     {2, 2048},
                                     {3, 2056},
                                     {1, 8192},
                                     {2, 11008},
                                     {1, 16392},
                                     {33, 64}})
      cases.push_back(matrix(kGlu, rows, cols));
    for (const char* kind : {", large gates", ", huge gates"})
      for (const auto& [rows, cols] : {std::pair{3, 8}, {2, 264}, {1, 5000}})
        cases.push_back(matrix(std::string(kGlu) + kind, rows, cols));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(turning(70'001, 8, 64, 4096));
      cases.push_back(turning(1021, 40, 128, 131'072));
      cases.push_back(matrix(kGlu, 70'001, 64));
      cases.push_back(matrix(kGlu, 257, 14'336));
    }
    const std::int64_t shorter = device == ladder::DeviceKind::gpu ? 1 : kShorter;
    cases.push_back(turning(16'384 / shorter, 64, 128, 8'192 / shorter, Case::Use::time));
    cases.push_back(matrix(kGlu, 16'384 / shorter, 8'192, Case::Use::time));
    return cases;
  }

  bool valid(const Case& which) const override {
    if (is(which, kRope))
      return which["dim"] % 16 == 0 && which["dim"] >= 16 && which["dim"] <= 512 && which["positions"] >= 2;
    return which["cols"] % 8 == 0 && (is(which, kGlu) || which["cols"] <= kMostCols);
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return is(which, has("residual") ? kSum
                     : has("layer")  ? kLayer
                     : has("rope")   ? kRope
                     : has("swiglu") ? kGlu
                                     : kNorm);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    if (is(which, kRope)) return declare_rope(problem, random);
    const std::int64_t rows = which["rows"], cols = which["cols"];
    if (is(which, kGlu)) {
      const float most = kind_of(which) == "huge gates" ? 1e14f : kind_of(which) == "large gates" ? 200 : 8;
      const auto in = problem.input<Bf16>("in", {rows, 2, cols});
      random.uniform(in, __float2bfloat16(-4.0f), __float2bfloat16(4.0f));
      for (std::int64_t row = 0; row < rows && most != 8; ++row)
        random.uniform(in.subspan(row * 2 * cols, cols), __float2bfloat16(-most), __float2bfloat16(most));
      problem.output<Bf16>("out", {rows, cols});
      return;
    }
    const auto x = problem.input<Bf16>("x", {rows, cols});
    fill_rows(x, which, random);
    if (is(which, kSum)) {
      const auto residual = problem.input<Bf16>("residual", {rows, cols});
      fill_rows(residual, which, random);
      if (kind_of(which) == "zeros")  // of the sum: x takes away what the residual has
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = __float2bfloat16(-__bfloat162float(residual[i]));
    }
    fill_weights(problem.input<Bf16>("weight", {cols}), random);
    if (is(which, kLayer))
      random.uniform(problem.input<Bf16>("bias", {cols}), __float2bfloat16(-1.0f), __float2bfloat16(1.0f));
    problem.output<Bf16>("out", {rows, cols});
    if (is(which, kSum)) problem.output<Bf16>("sum", {rows, cols});
    // Where there are no columns nothing is launched, and no factor is written.
    if (!is(which, kLayer)) problem.output<float>("factor", {cols == 0 ? 0 : rows});
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const auto out = problem.expect("out", tolerance_of(which));
    if (out.empty()) return;
    if (is(which, kRope)) return turn_all(problem, out);
    if (is(which, kGlu)) return gate_all(problem, out);
    if (is(which, kLayer)) return subtract_and_scale(problem, out);
    if (is(which, kNorm)) return scale(problem.read<Bf16>("x"), problem, out);
    // The sum is rounded as the contract says, and then it is what is normalised.
    const auto x = problem.read<Bf16>("x"), residual = problem.read<Bf16>("residual");
    const auto sum = problem.expect("sum", {});
    std::vector<Bf16> rounded(x.size());
    ladder::parallel_for(static_cast<std::int64_t>(x.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        rounded[i] = __float2bfloat16(__bfloat162float(x[i]) + __bfloat162float(residual[i]));
        sum[i] = __bfloat162float(rounded[i]);
      }
    });
    scale(rounded, problem, out);
  }

  std::vector<Case> giant_cases() const override {
    std::vector<Case> cases;
    for (const char* function : {kNorm, kSum, kLayer}) {
      cases.push_back(matrix(function, 70'001, 8));  // more rows than a grid has blocks in y
      cases.push_back(matrix(function, 300'000'007, 16));
      cases.push_back(matrix(function, 530'003, 8'192));
    }
    cases.push_back(turning(70'001, 1, 16, 8));
    cases.push_back(turning(5'000'011, 7, 128, 8));
    cases.push_back(turning(1'000'003, 65, 64, 8));
    cases.push_back(matrix(kGlu, 70'001, 8));
    cases.push_back(matrix(kGlu, 300'000'007, 16));
    cases.push_back(matrix(kGlu, 400'009, 14'336));
    return cases;
  }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    if (is(which, kRope)) {
      const std::int64_t tokens = which["tokens"], heads = which["heads"], dim = which["dim"];
      problem.input<Bf16>("x", {tokens, heads, dim});
      problem.input<int>("position", {tokens});
      problem.input<float>("table", {which["positions"], dim});
      problem.output<Bf16>("out", {tokens, heads, dim});
      return;
    }
    const std::int64_t rows = which["rows"], cols = which["cols"];
    if (is(which, kGlu)) {
      problem.input<Bf16>("in", {rows, 2, cols});
      problem.output<Bf16>("out", {rows, cols});
      return;
    }
    problem.input<Bf16>("x", {rows, cols});
    if (is(which, kSum)) problem.input<Bf16>("residual", {rows, cols});
    problem.input<Bf16>("weight", {cols});
    if (is(which, kLayer)) problem.input<Bf16>("bias", {cols});
    problem.output<Bf16>("out", {rows, cols});
    if (is(which, kSum)) problem.output<Bf16>("sum", {rows, cols});
    if (!is(which, kLayer)) problem.output<float>("factor", {rows});
  }

  /// A position is a row of the table. Every giant case has eight, no more than a page of memory holds: what
  /// blocks read is found out with positions that are all 0.
  double adapt(std::string_view input, double drawn) const override {
    return input == "position" ? std::fmod(std::abs(drawn), 8) : drawn;
  }

  double element(const Case& which, std::string_view output, std::int64_t i, const Input& in) const override {
    if (is(which, kRope)) return rope_element(which, i, in);
    const std::int64_t cols = which["cols"];
    if (is(which, kGlu)) {
      const std::int64_t gate = i / cols * 2 * cols + i % cols;
      return silu(in("in", gate)) * in("in", gate + cols);
    }
    // Sums of two multiples of 1/64 up to 1 need no rounding to be bf16.
    const auto x = [&](std::int64_t at) { return in("x", at) + (is(which, kSum) ? in("residual", at) : 0); };
    if (output == "sum") return x(i);
    const double n = static_cast<double>(cols);
    const std::int64_t row = output == "factor" ? i : i / cols;
    double mean = 0, spread = 0;
    if (is(which, kLayer))
      for (std::int64_t col = 0; col < cols; ++col) mean += x(row * cols + col) / n;
    for (std::int64_t col = 0; col < cols; ++col) {
      const double off = x(row * cols + col) - mean;
      spread += off * off / n;
    }
    const double factor = 1 / std::sqrt(spread + kEpsilon);
    if (output == "factor") return factor;
    return (x(i) - mean) * factor * in("weight", i % cols) + (is(which, kLayer) ? in("bias", i % cols) : 0);
  }

  ladder::Tolerance tolerance(const Case& which) const override { return tolerance_of(which); }

  ladder::Work work(const Case& which) const override {
    if (is(which, kRope)) {
      const double tokens = static_cast<double>(which["tokens"]), dim = static_cast<double>(which["dim"]);
      const double n = tokens * static_cast<double>(which["heads"]) * dim;
      return {.bytes_read = n * sizeof(Bf16) + tokens * (dim * sizeof(float) + sizeof(int)),
              .bytes_written = n * sizeof(Bf16),
              .flops = 3 * n};
    }
    const double rows = static_cast<double>(which["rows"]), cols = static_cast<double>(which["cols"]);
    const double n = rows * cols * sizeof(Bf16), line = cols * sizeof(Bf16), factors = rows * sizeof(float);
    if (is(which, kGlu)) return {.bytes_read = 2 * n, .bytes_written = n, .flops = 5 * rows * cols};
    if (is(which, kLayer)) return {.bytes_read = n + 2 * line, .bytes_written = n, .flops = 7 * rows * cols};
    if (is(which, kSum))
      return {.bytes_read = 2 * n + line, .bytes_written = 2 * n + factors, .flops = 5 * rows * cols};
    return {.bytes_read = n + line, .bytes_written = n + factors, .flops = 4 * rows * cols};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    Bf16* const out = arguments.get<Bf16>("out");
    if (is(which, kRope)) {
      if (&rope == nullptr) throw ladder::Objection("this rung lacks rope(__nv_bfloat16*, ...)");
      return rope(out, arguments.get<Bf16>("x"), arguments.get<int>("position"),
                  arguments.get<float>("table"), get(which, "tokens"), get(which, "heads"),
                  get(which, "dim"));
    }
    const int rows = get(which, "rows"), cols = get(which, "cols");
    if (is(which, kGlu)) {
      if (&swiglu == nullptr) throw ladder::Objection("this rung lacks swiglu(__nv_bfloat16*, ...)");
      return swiglu(out, arguments.get<Bf16>("in"), rows, cols);
    }
    const Bf16* const x = arguments.get<Bf16>("x");
    const Bf16* const weight = arguments.get<Bf16>("weight");
    if (is(which, kLayer)) {
      if (&layer_norm == nullptr) throw ladder::Objection("this rung lacks layer_norm(__nv_bfloat16*, ...)");
      return layer_norm(out, x, weight, arguments.get<Bf16>("bias"), kEpsilon, rows, cols);
    }
    float* const factor = arguments.get<float>("factor");
    if (is(which, kSum)) {
      if (&add_rms_norm == nullptr)
        throw ladder::Objection("this rung lacks add_rms_norm(__nv_bfloat16*, ...)");
      return add_rms_norm(out, arguments.get<Bf16>("sum"), factor, x, arguments.get<Bf16>("residual"), weight,
                          kEpsilon, rows, cols);
    }
    if (&rms_norm == nullptr) throw ladder::Objection("this rung lacks rms_norm(__nv_bfloat16*, ...)");
    return rms_norm(out, factor, x, weight, kEpsilon, rows, cols);
  }

 private:
  static constexpr std::int64_t kShorter = 32;  // so many times fewer rows are timed on the simulator

  static void add_norms(std::vector<Case>& cases, const std::string& function, ladder::DeviceKind device) {
    // Around a warp and a block, of elements and of vectors, and what either holds in registers. Where less
    // is held than there is room for, it is a good deal less: a mean over too many would be nearly right.
    constexpr std::int64_t kShapes[][2] = {
        {0, 8},    {5, 0},    {1, 8},    {3, 8},    {2, 16},   {4, 24},   {5, 32},    {3, 40},
        {2, 200},  {3, 256},  {7, 264},  {2, 1000}, {5, 1024}, {3, 1032}, {2, 1800},  {2, 2048},
        {3, 2056}, {1, 4096}, {2, 5000}, {1, 7000}, {1, 8192}, {1, 8200}, {1, 15000}, {1, 16384}};
    for (const auto& [rows, cols] : kShapes) cases.push_back(matrix(function, rows, cols));
    std::vector<const char*> kinds = {", zeros", ", small", ", tiny", ", one huge element"};
    if (function == kLayer) kinds.insert(kinds.end(), {", equal", ", large mean"});
    for (const char* kind : kinds)
      for (const auto& [rows, cols] : {std::pair{3, 8}, {3, 40}, {2, 2048}, {1, 5000}, {1, 16384}})
        cases.push_back(matrix(function + kind, rows, cols));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(matrix(function, 99'991, 8));
      cases.push_back(matrix(function, 70'001, 64));  // more rows than a grid may have blocks in y
      cases.push_back(matrix(function, 257, 8'192));
      cases.push_back(matrix(function, 65, 16'384));
    }
    const std::int64_t shorter = device == ladder::DeviceKind::gpu ? 1 : kShorter;
    cases.push_back(matrix(function, 16'384 / shorter, 8'192, Case::Use::time));
  }

  static void fill_rows(std::span<Bf16> rows, const Case& which, ladder::Random& random) {
    random.uniform(rows, __float2bfloat16(-4.0f), __float2bfloat16(4.0f));
    const std::string_view kind = kind_of(which);
    const std::int64_t cols = which["cols"];
    if (kind == kMixed || cols == 0 || (kind == "zeros" && is(which, kSum))) return;
    for (std::int64_t row = 0; row < which["rows"]; ++row)
      ::adapt(rows.subspan(row * cols, cols), kind, random);
  }

  static void declare_rope(ladder::Problem& problem, ladder::Random& random) {
    const Case& which = problem.which();
    const std::int64_t tokens = which["tokens"], heads = which["heads"], dim = which["dim"];
    const std::int64_t positions = which["positions"];
    random.uniform(problem.input<Bf16>("x", {tokens, heads, dim}), __float2bfloat16(-4.0f),
                   __float2bfloat16(4.0f));
    fill_positions(problem.input<int>("position", {tokens}), positions, random);
    fill_table(problem.input<float>("table", {positions, dim}), positions, dim);
    problem.output<Bf16>("out", {tokens, heads, dim});
  }

  static void scale(std::span<const Bf16> x, ladder::Problem& problem, std::span<double> out) {
    const std::int64_t cols = problem.which()["cols"];
    const auto weight = problem.read<Bf16>("weight");
    const auto factor = problem.expect("factor", {.relative = 0x1p-12});
    for_each_row(static_cast<std::int64_t>(factor.size()), [&](std::int64_t row) {
      const auto from = x.subspan(row * cols, cols);
      factor[row] = factor_of(from);
      for (std::int64_t col = 0; col < cols; ++col)
        out[row * cols + col] =
            __bfloat162float(from[col]) * factor[row] * static_cast<double>(__bfloat162float(weight[col]));
    });
  }

  static void subtract_and_scale(ladder::Problem& problem, std::span<double> out) {
    const std::int64_t cols = problem.which()["cols"];
    const auto x = problem.read<Bf16>("x"), weight = problem.read<Bf16>("weight");
    const auto bias = problem.read<Bf16>("bias");
    for_each_row(problem.which()["rows"], [&](std::int64_t row) {
      const auto from = x.subspan(row * cols, cols);
      double mean = 0, variance = 0;
      for (const Bf16 value : from) mean += __bfloat162float(value);
      mean /= static_cast<double>(cols);
      for (const Bf16 value : from) {
        const double off = __bfloat162float(value) - mean;
        variance += off * off;
      }
      const double factor = 1 / std::sqrt(variance / static_cast<double>(cols) + kEpsilon);
      for (std::int64_t col = 0; col < cols; ++col)
        out[row * cols + col] =
            (__bfloat162float(from[col]) - mean) * factor * __bfloat162float(weight[col]) +
            __bfloat162float(bias[col]);
    });
  }

  static void turn_all(ladder::Problem& problem, std::span<double> out) {
    const std::int64_t heads = problem.which()["heads"], dim = problem.which()["dim"];
    const auto x = problem.read<Bf16>("x");
    const auto position = problem.read<int>("position");
    const auto table = problem.read<float>("table");
    for_each_row(problem.which()["tokens"], [&](std::int64_t token) {
      const auto angles = table.subspan(position[token] * dim, dim);
      for (std::int64_t at = token * heads * dim; at < (token + 1) * heads * dim; at += dim)
        for (std::int64_t i = 0; i < dim; ++i)
          out[at + i] = turned(i, dim, angles, [&](std::int64_t k) {
            return static_cast<double>(__bfloat162float(x[at + k]));
          });
    });
  }

  static void gate_all(ladder::Problem& problem, std::span<double> out) {
    const std::int64_t cols = problem.which()["cols"];
    const auto in = problem.read<Bf16>("in");
    for_each_row(problem.which()["rows"], [&](std::int64_t row) {
      const auto gates = in.subspan(row * 2 * cols, cols), ups = in.subspan((row * 2 + 1) * cols, cols);
      for (std::int64_t col = 0; col < cols; ++col)
        out[row * cols + col] = silu(__bfloat162float(gates[col])) * __bfloat162float(ups[col]);
    });
  }

  static double rope_element(const Case& which, std::int64_t i, const Input& in) {
    const std::int64_t dim = which["dim"], half = dim / 2, token = i / dim / which["heads"];
    const std::int64_t angles = static_cast<std::int64_t>(in("position", token)) * dim;
    const std::int64_t pair = i % dim % half;
    const double c = in("table", angles + pair), s = in("table", angles + half + pair);
    return i % dim < half ? in("x", i) * c - in("x", i + half) * s : in("x", i) * c + in("x", i - half) * s;
  }
};

}  // namespace

LADDER_LESSON(RmsNorm)
