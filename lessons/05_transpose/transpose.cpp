// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "transpose.h"

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/special.h"

namespace {

using ladder::Case;

constexpr const char* kSpecial = "special values";  // a variant: whatever a float can be

Case shape(std::int64_t rows, std::int64_t cols, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"cols", cols}}, "", use};
}

class Transpose : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around the edges of a warp, of a 32 x 32 and of a 64 x 64 tile; none square but the first few.
    std::vector<Case> cases = {shape(0, 0),     shape(0, 5),    shape(7, 0),    shape(1, 1),
                               shape(2, 2),     shape(1, 3),    shape(4, 1),    shape(3, 4),
                               shape(31, 33),   shape(33, 31),  shape(32, 64),  shape(64, 32),
                               shape(63, 65),   shape(65, 63),  shape(64, 128), shape(128, 68),
                               shape(127, 129), shape(1, 1025), shape(1024, 1), shape(129, 1023)};
    for (const auto& [rows, cols] : {std::pair{7, 5}, {64, 68}}) {
      cases.push_back(shape(rows, cols));
      cases.back().variant = kSpecial;
    }
    cases.push_back(shape(65'536, 1));  // more rows, and more columns, than a grid has blocks in y
    cases.push_back(shape(1, 65'536));
    for (const auto& [rows, cols] : {std::pair{4, 8}, {64, 128}})
      ladder::add_with_offsets(cases, shape(rows, cols), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape(1023, 1025));
      cases.push_back(shape(1, 999'983));    // a prime; one row, one column: nothing to tile
      cases.push_back(shape(2'100'001, 3));  // more than 65535 tiles one below the other
      cases.push_back(shape(4100, 2052));    // whole 16-byte vectors, ragged tiles
    }
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 16'384 : 2'048;
    cases.push_back(shape(large, large, Case::Use::time));
    // The size of the classic exercise: its 8 MiB stay in an H200's L2 cache, so here a launch weighs.
    cases.push_back(shape(1024, 1024, Case::Use::time));
    return cases;
  }

  /// cuBLAS multiplies by one, which keeps every number and loses the bits of a NaN.
  bool applies(const Case& which, std::string_view rung) const override {
    return rung != "cublas" || which.variant != kSpecial;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.input<float>("in", {rows, cols});
    random.uniform(in, -1000.0f, 1000.0f);
    if (problem.which().variant == kSpecial) ladder::scatter_special(in, random, true);
    problem.output<float>("out", {cols, rows});
  }

  void reference(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    const auto in = problem.read<float>("in");
    const auto out = problem.expect("out", ladder::kSameBits);
    // Piece by piece of `out`, a few of its rows at a time: so the CPU's caches see whole lines of both.
    ladder::parallel_for(rows * cols, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t col = begin / rows; col <= (end - 1) / rows; ++col)
          if (const std::int64_t at = col * rows + row; begin <= at && at < end)
            out[at] = in[row * cols + col];
    });
  }

  std::vector<Case> giant_cases() const override { return {shape(80'021, 80'039)}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t rows = problem.which()["rows"], cols = problem.which()["cols"];
    problem.input<float>("in", {rows, cols});
    problem.output<float>("out", {cols, rows});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    return in("in", i % which["rows"] * which["cols"] + i / which["rows"]);
  }

  ladder::Work work(const Case& which) const override {
    const double bytes =
        static_cast<double>(which["rows"]) * static_cast<double>(which["cols"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return transpose(arguments.get<float>("out"), arguments.get<float>("in"), static_cast<int>(which["rows"]),
                     static_cast<int>(which["cols"]));
  }
};

}  // namespace

LADDER_LESSON(Transpose)
