// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "conv2d.h"

#include <stdexcept>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/scratch.h"

// A rung defines one of the two.
cudaError_t conv2d(float*, const float*, const float*, const ConvShape&) __attribute__((weak));
cudaError_t conv2d(float*, const float*, const float*, const ConvShape&, float*) __attribute__((weak));

namespace {

using ladder::Case;

cudaError_t (*const plain)(float*, const float*, const float*, const ConvShape&) = conv2d;
cudaError_t (*const with_scratch)(float*, const float*, const float*, const ConvShape&, float*) = conv2d;

constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a chunk of one plane of the result or more each

Case shape(const ConvShape& s, Case::Use use = Case::Use::check) {
  return {{{"batch", s.batch},
           {"channels", s.channels},
           {"rows", s.rows},
           {"cols", s.cols},
           {"filters", s.filters},
           {"side", s.side},
           {"padding", s.padding},
           {"stride", s.stride},
           {"dilation", s.dilation}},
          "",
          use};
}

ConvShape extents(const Case& which) {
  const auto get = [&](const char* name) { return static_cast<int>(which[name]); };
  return {.batch = get("batch"),
          .channels = get("channels"),
          .rows = get("rows"),
          .cols = get("cols"),
          .filters = get("filters"),
          .side = get("side"),
          .padding = get("padding"),
          .stride = get("stride"),
          .dilation = get("dilation")};
}

class Conv2d : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // batch, channels, rows, cols, filters, side, padding, stride, dilation. Most are small enough for a
    // quick run, whose bound is on the product of all nine.
    std::vector<Case> cases = {
        shape({1, 1, 1, 1, 1, 1, 0, 1, 1}),     shape({1, 1, 5, 7, 1, 3, 0, 1, 1}),
        shape({2, 3, 4, 5, 2, 3, 1, 1, 1}),   // smaller than any tile
        shape({0, 3, 4, 5, 2, 3, 1, 1, 1}),   // no image
        shape({2, 0, 4, 5, 3, 3, 1, 1, 1}),   // nothing to add
        shape({2, 3, 4, 5, 0, 3, 1, 1, 1}),   // no filter
        shape({1, 2, 0, 4, 2, 3, 2, 1, 1}),   // nothing but padding
        shape({1, 2, 3, 3, 2, 5, 0, 1, 1}),   // the filter does not fit
        shape({1, 1, 3, 2, 3, 3, 5, 1, 1}),   // at some positions it does not meet the image
        shape({1, 1, 8, 32, 1, 2, 0, 5, 3}),  // a stride beyond the filter
        shape({2, 5, 9, 33, 4, 1, 0, 1, 1}),  // 1 x 1: no halo
        shape({3, 4, 13, 11, 9, 1, 0, 2, 1}),   shape({1, 1, 20, 3, 2, 3, 1, 2, 1}),
        shape({1, 1, 2, 36, 1, 3, 2, 1, 2}),    shape({1, 1, 35, 67, 3, 3, 1, 1, 1}),
        shape({9, 1, 5, 4, 65, 2, 1, 1, 1}),    shape({1, 7, 6, 5, 9, 4, 2, 3, 1}),
        shape({1, 64, 3, 3, 33, 3, 1, 1, 1}),   // all filters are too many for constant memory
        shape({1, 1, 3, 2, 1, 129, 64, 1, 1}),  // a single one is too large for it
        shape({1, 1, 5, 50, 2, 3, 1, 40, 1}),   // a halo that shared memory does not hold
        shape({2, 3, 17, 31, 5, 3, 1, 2, 1}),   shape({1, 2, 19, 37, 7, 3, 2, 1, 2}),
        shape({2, 3, 23, 29, 3, 4, 2, 3, 2}),   shape({1, 3, 35, 67, 10, 5, 2, 1, 1}),
        shape({1, 1, 34, 130, 2, 7, 3, 2, 1}),  shape({1, 8, 32, 32, 8, 3, 1, 1, 1}),
        shape({3, 7, 16, 16, 64, 3, 1, 1, 1}),  shape({1, 64, 5, 6, 65, 3, 1, 1, 1}),
        shape({1, 1900, 3, 4, 2, 3, 1, 2, 1}),  shape({1, 2, 21, 20, 3, 5, 80, 1, 40}),
        shape({5, 6, 11, 13, 129, 3, 0, 1, 1}), shape({1, 4, 1, 1, 1, 3, 1, 1, 1}),
        shape({2, 5, 9, 6, 3, 3, 2, 1, 1}),     shape({1, 9, 2, 3, 70, 3, 5, 1, 1})};
    // Each extent as more than a grid has blocks in y or z; the batch of the simulator is a giant case.
    for (const ConvShape& s : std::initializer_list<ConvShape>{{1, 65'537, 1, 1, 1, 1, 0, 1, 1},
                                                               {1, 1, 65'537, 1, 1, 1, 0, 1, 1},
                                                               {1, 1, 1, 65'537, 1, 1, 0, 1, 1},
                                                               {1, 1, 1, 1, 65'537, 1, 0, 1, 1}})
      cases.push_back(shape(s));
    for (const ConvShape& s : std::initializer_list<ConvShape>{
             {1, 4, 8, 16, 4, 3, 1, 1, 1}, {1, 8, 8, 16, 64, 1, 0, 1, 1}, {2, 2, 8, 16, 8, 4, 0, 1, 1}})
      ladder::add_with_offsets(cases, shape(s), {"out", "in", "filter"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(shape({65'537, 1, 1, 1, 1, 1, 0, 1, 1}));
      cases.push_back(shape({7, 33, 61, 59, 131, 3, 1, 1, 1}));
      cases.push_back(shape({5, 19, 127, 129, 67, 5, 3, 2, 2}));
      cases.push_back(shape({100'003, 1, 2, 3, 3, 3, 1, 1, 1}));  // a prime; many images
      cases.push_back(shape({64, 64, 56, 56, 64, 3, 1, 1, 1}, Case::Use::time));
    } else {
      cases.push_back(shape({8, 16, 56, 56, 64, 3, 1, 1, 1}, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["side"] > 0 && which["stride"] > 0 && which["dilation"] > 0;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const ConvShape s = extents(problem.which());
    fill(problem.input<float>("in", {s.batch, s.channels, s.rows, s.cols}), random);
    fill(problem.input<float>("filter", {s.filters, s.channels, s.side, s.side}), random);
    problem.output<float>("out", {s.batch, s.filters, s.out_rows(), s.out_cols()});
  }

  void reference(ladder::Problem& problem) const override {
    const ConvShape s = extents(problem.which());
    // As for a matrix product of this depth (lesson 19): k additions, each rounding by up to 2^-24 of a sum
    // that random signs keep near sqrt(k), are off by some k * 2^-24 / 4, and five times that for the worst
    // of millions. A factor rounded to 11 bits, as half precision and TF32 have them, shows: sqrt(k) * 2^-12.
    const double taps = static_cast<double>(s.channels) * s.side * s.side;
    const auto out = problem.expect("out", {.absolute = 4.0 * taps * 0x1p-24});
    const auto in = problem.read<float>("in"), filter = problem.read<float>("filter");
    const std::int64_t pixels = static_cast<std::int64_t>(s.out_rows()) * s.out_cols();
    const std::int64_t planes = pixels == 0 ? 0 : static_cast<std::int64_t>(s.batch) * s.filters;
    const std::int64_t image = static_cast<std::int64_t>(s.channels) * s.rows * s.cols;
    const std::int64_t one = static_cast<std::int64_t>(s.channels) * s.side * s.side;
    ladder::parallel_for(planes * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t plane = begin / kChunk; plane * kChunk < end; ++plane)
        slide(out.subspan(plane * pixels, pixels), in.subspan(plane / s.filters * image, image),
              filter.subspan(plane % s.filters * one, one), s);
    });
  }

  std::vector<Case> giant_cases() const override {
    return {shape({65'537, 1, 1, 1, 1, 1, 0, 1, 1}), shape({2, 2, 30'011, 29'989, 3, 3, 1, 1, 1}),
            shape({2, 2, 30'016, 30'016, 4, 1, 0, 1, 1})};
  }

  void outline(ladder::Problem& problem) const override {
    const ConvShape s = extents(problem.which());
    problem.input<float>("in", {s.batch, s.channels, s.rows, s.cols});
    problem.input<float>("filter", {s.filters, s.channels, s.side, s.side});
    problem.output<float>("out", {s.batch, s.filters, s.out_rows(), s.out_cols()});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    const ConvShape s = extents(which);
    const std::int64_t x = i % s.out_cols(), y = i / s.out_cols() % s.out_rows(),
                       plane = i / s.out_cols() / s.out_rows(), image = plane / s.filters;
    double sum = 0;
    for (int tap = 0; tap < s.channels * s.side * s.side; ++tap) {
      const std::int64_t c = tap / (s.side * s.side);
      const std::int64_t row = y * s.stride + tap / s.side % s.side * s.dilation - s.padding,
                         col = x * s.stride + tap % s.side * s.dilation - s.padding;
      if (row < 0 || row >= s.rows || col < 0 || col >= s.cols) continue;
      sum += in("filter", plane % s.filters * s.channels * s.side * s.side + tap) *
             in("in", ((image * s.channels + c) * s.rows + row) * s.cols + col);
    }
    return sum;
  }

  /// Sums and differences of elements may be multiplied in their place, with roundings of their own.
  ladder::Tolerance tolerance(const Case& which) const override {
    return {.absolute =
                4.0 * static_cast<double>(which["channels"] * which["side"] * which["side"]) * 0x1p-24};
  }

  ladder::Work work(const Case& which) const override {
    const ConvShape s = extents(which);
    const double taps = static_cast<double>(s.channels) * s.side * s.side;
    const double results = static_cast<double>(s.batch) * s.filters * s.out_rows() * s.out_cols();
    return {.bytes_read = (static_cast<double>(s.batch) * s.channels * s.rows * s.cols + s.filters * taps) *
                          sizeof(float),
            .bytes_written = results * sizeof(float),
            .flops = 2 * results * taps};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    const auto elements = static_cast<std::int64_t>(scratch_elements(extents(which)));
    return ladder::allocate_scratch(&scratch_, "scratch", elements);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const ConvShape s = extents(which);
    float* out = arguments.get<float>("out");
    const float *in = arguments.get<float>("in"), *filter = arguments.get<float>("filter");
    if (with_scratch != nullptr) return with_scratch(out, in, filter, s, scratch_);
    if (plain == nullptr) throw ladder::Objection("this rung lacks conv2d(float*, const float*, ...)");
    return plain(out, in, filter, s);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  /// Adds the products of one image and one filter to one plane of zeros, a tap at a time.
  static void slide(std::span<double> out, std::span<const float> in, std::span<const float> filter,
                    const ConvShape& s) {
    const int out_rows = s.out_rows(), out_cols = s.out_cols(), area = s.side * s.side;
    for (int tap = 0; tap < s.channels * area; ++tap) {
      const int c = tap / area, down = tap % area / s.side * s.dilation, right = tap % s.side * s.dilation;
      const double weight = filter[tap];
      for (int y = 0; y < out_rows; ++y) {
        const std::int64_t row = static_cast<std::int64_t>(y) * s.stride + down - s.padding;
        if (row < 0 || row >= s.rows) continue;
        const auto line = in.subspan((static_cast<std::int64_t>(c) * s.rows + row) * s.cols, s.cols);
        const auto sums = out.subspan(static_cast<std::int64_t>(y) * out_cols, out_cols);
        for (int x = 0; x < out_cols; ++x) {
          const int col = x * s.stride + right - s.padding;
          if (col >= 0 && col < s.cols) sums[x] += weight * line[col];
        }
      }
    }
  }

  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<float> array, ladder::Random& random) {
    random.uniform(array, -0.5f, 0.5f);
    for (float& value : array) value += value < 0 ? -0.5f : 0.5f;
  }

  float* scratch_ = nullptr;
};

}  // namespace

LADDER_LESSON(Conv2d)
