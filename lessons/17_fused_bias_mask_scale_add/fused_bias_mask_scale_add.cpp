// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "fused_bias_mask_scale_add.h"

#include <stdexcept>
#include <type_traits>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"

// A rung defines one of the two; the address of the other is null.
cudaError_t bias_mask_scale_add(float*, const float*, const float*, const std::uint8_t*, const float*, float,
                                int, int) __attribute__((weak));
cudaError_t bias_mask_scale_add(__half*, const __half*, const __half*, const std::uint8_t*, const __half*,
                                float, int, int) __attribute__((weak));

namespace {

using ladder::Case;

bool in_half(std::string_view name) { return name.find("half") != std::string_view::npos; }

/// As if a fifth, a third or half of all elements were dropped; exact in half precision.
float scale_of(const Case& which) {
  constexpr float kScales[] = {1.25f, 1.5f, 2.0f};
  return kScales[(which["rows"] + which["cols"]) % 3];
}

/// In float: a rounding of up to 2^-23 after each of three operations on numbers up to 8. In half, with an
/// intermediate result between 2 and 4: its rounding, up to 2^-10, times the scale, and the last one.
ladder::Tolerance tolerance(bool half) {
  if (half) return {.absolute = 0x1p-8, .relative = 0x1p-10};
  return {.absolute = 0x1p-20, .relative = 0x1p-22};
}

class FusedBiasMaskScaleAdd : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t rows, std::int64_t cols, Case::Use use = Case::Use::check) {
      for (const char* variant : {"float", "half"})
        cases.push_back({{{"rows", rows}, {"cols", cols}}, variant, use});
    };
    // Rows of whole vectors and rows that end within one; elements that are left behind the last vector.
    constexpr std::int64_t kShapes[][2] = {
        {0, 5}, {5, 0},  {1, 1},  {1, 2},   {2, 1},   {3, 1},   {2, 3},   {1, 7},   {1, 8},    {1, 9},
        {7, 8}, {5, 12}, {3, 10}, {31, 33}, {33, 32}, {8, 128}, {9, 127}, {1, 999}, {1025, 1}, {13, 1025}};
    for (const auto& [rows, cols] : kShapes) add(rows, cols);
    add(65'536, 1);  // more than a grid has blocks in y
    add(1, 65'536);
    if (device == ladder::DeviceKind::gpu) {
      add(1'009, 997);
      add(3, 333'337);
      add(8'192, 16'384, Case::Use::time);
    } else {
      add(2'048, 4'096, Case::Use::time);
    }
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    return in_half(which.variant) == in_half(rung);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    if (in_half(problem.which().variant))
      declare_as<__half>(problem, random);
    else
      declare_as<float>(problem, random);
  }

  void reference(ladder::Problem& problem) const override {
    if (in_half(problem.which().variant))
      reference_as<__half>(problem);
    else
      reference_as<float>(problem);
  }

  /// About as many elements as the contract allows: a stride that is added to an index in int leaves its
  /// range.
  std::vector<Case> giant_cases() const override {
    return {{{{"rows", 3}, {"cols", 715'827'667}}, "float", Case::Use::check},
            {{{"rows", 715'827'667}, {"cols", 3}}, "half", Case::Use::check}};
  }

  void outline(ladder::Problem& problem) const override {
    if (in_half(problem.which().variant))
      outline_as<__half>(problem);
    else
      outline_as<float>(problem);
  }

  double adapt(std::string_view array, double drawn) const override {
    return array == "mask" ? static_cast<double>(static_cast<int>(drawn) & 1) : drawn;
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    return (in("in", i) + in("bias", i % which["cols"])) * in("mask", i) * scale_of(which) +
           in("residual", i);
  }

  ladder::Tolerance tolerance(const Case& which) const override {
    return ::tolerance(in_half(which.variant));
  }

  ladder::Work work(const Case& which) const override {
    const double cols = static_cast<double>(which["cols"]), n = static_cast<double>(which["rows"]) * cols;
    const double size = in_half(which.variant) ? sizeof(__half) : sizeof(float);
    return {.bytes_read = n * (2 * size + 1) + cols * size, .bytes_written = n * size, .flops = 3 * n};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return in_half(which.variant) ? launch_as<__half>(which, arguments) : launch_as<float>(which, arguments);
  }

 private:
  template <class T>
  static void declare_as(ladder::Problem& problem, ladder::Random& random) {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    random.uniform(problem.input<T>("in", {rows, cols}), T(-2.0f), T(2.0f));
    random.uniform(problem.input<T>("bias", {cols}), T(-1.0f), T(1.0f));
    const auto mask = problem.input<std::uint8_t>("mask", {rows, cols});
    random.uniform(mask, 0, 255);
    for (std::uint8_t& keep : mask) keep = keep < 180;
    random.uniform(problem.input<T>("residual", {rows, cols}), T(-2.0f), T(2.0f));
    problem.output<T>("out", {rows, cols});
    problem.scalar("scale", static_cast<double>(scale_of(problem.which())));
  }

  template <class T>
  static void outline_as(ladder::Problem& problem) {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    problem.input<T>("in", {rows, cols});
    problem.input<T>("bias", {cols});
    problem.input<std::uint8_t>("mask", {rows, cols});
    problem.input<T>("residual", {rows, cols});
    problem.output<T>("out", {rows, cols});
  }

  template <class T>
  static void reference_as(ladder::Problem& problem) {
    const std::int64_t cols = problem.which()["cols"];
    const auto in = problem.read<T>("in"), bias = problem.read<T>("bias");
    const auto residual = problem.read<T>("residual");
    const auto mask = problem.read<std::uint8_t>("mask");
    const double scale = scale_of(problem.which());
    const auto out = problem.expect("out", ::tolerance(std::is_same_v<T, __half>));
    const auto number = [](T value) { return static_cast<double>(static_cast<float>(value)); };
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        out[i] = (number(in[i]) + number(bias[i % cols])) * mask[i] * scale + number(residual[i]);
    });
  }

  template <class T>
  static cudaError_t launch_as(const Case& which, const ladder::Arguments& arguments) {
    cudaError_t (*const rung)(T*, const T*, const T*, const std::uint8_t*, const T*, float, int, int) =
        bias_mask_scale_add;
    if (rung == nullptr)
      throw ladder::Objection(std::is_same_v<T, float> ? "this rung lacks bias_mask_scale_add(float*, ...)"
                                                       : "this rung lacks bias_mask_scale_add(__half*, ...)");
    return rung(arguments.get<T>("out"), arguments.get<T>("in"), arguments.get<T>("bias"),
                arguments.get<std::uint8_t>("mask"), arguments.get<T>("residual"), scale_of(which),
                static_cast<int>(which["rows"]), static_cast<int>(which["cols"]));
  }
};

}  // namespace

LADDER_LESSON(FusedBiasMaskScaleAdd)
