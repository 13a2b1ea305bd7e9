// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "conv3d_and_maxpool.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/special.h"

// A rung defines one of the three; the addresses of the others are null.
cudaError_t conv3d(float*, const float*, const float*, const Conv3dShape&) __attribute__((weak));
cudaError_t max_pool(float*, const float*, const PoolShape&) __attribute__((weak));
cudaError_t global_max_pool(float*, const float*, int, int) __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char* kConv = "conv3d";
constexpr const char* kPool = "max pool";
constexpr const char* kGlobal = "global max pool";
constexpr const char* kSpecial = ", special values";  // the end of variants of the pools
constexpr std::int64_t kChunk = 65536;  // of a parallel_for: a plane or a channel of the result or more each

Case conv(const Conv3dShape& s, Case::Use use = Case::Use::check) {
  return {{{"batch", s.batch},
           {"channels", s.channels},
           {"depth", s.depth},
           {"rows", s.rows},
           {"cols", s.cols},
           {"filters", s.filters},
           {"side", s.side},
           {"padding", s.padding}},
          kConv,
          use};
}

Case pool(const PoolShape& s, Case::Use use = Case::Use::check) {
  return {{{"planes", s.planes},
           {"rows", s.rows},
           {"cols", s.cols},
           {"window", s.window},
           {"stride", s.stride},
           {"padding", s.padding}},
          kPool,
          use};
}

Case global(std::int64_t planes, std::int64_t pixels, Case::Use use = Case::Use::check) {
  return {{{"planes", planes}, {"pixels", pixels}}, kGlobal, use};
}

bool is_conv(const Case& which) { return which.variant == kConv; }
bool is_pool(const Case& which) { return which.variant.starts_with(kPool); }
bool is_global(const Case& which) { return which.variant.starts_with(kGlobal); }

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

Conv3dShape conv_of(const Case& which) {
  return {.batch = get(which, "batch"),
          .channels = get(which, "channels"),
          .depth = get(which, "depth"),
          .rows = get(which, "rows"),
          .cols = get(which, "cols"),
          .filters = get(which, "filters"),
          .side = get(which, "side"),
          .padding = get(which, "padding")};
}

PoolShape pool_of(const Case& which) {
  return {.planes = get(which, "planes"),
          .rows = get(which, "rows"),
          .cols = get(which, "cols"),
          .window = get(which, "window"),
          .stride = get(which, "stride"),
          .padding = get(which, "padding")};
}

class Conv3dAndMaxpool : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // batch, channels, depth, rows, cols, filters, side, padding. Most are small enough for a quick run,
    // whose bound is on the product of all of them.
    for (const Conv3dShape& s : std::initializer_list<Conv3dShape>{
             {1, 1, 1, 1, 1, 1, 1, 0},    {1, 1, 3, 4, 5, 1, 3, 0},    {2, 3, 4, 5, 6, 2, 3, 1},
             {0, 2, 3, 3, 3, 2, 3, 1},  // no volume
             {2, 0, 3, 4, 5, 3, 3, 1},  // nothing to add
             {1, 2, 3, 3, 3, 0, 3, 1},  // no filter
             {1, 2, 0, 4, 3, 2, 3, 2},  // nothing but padding
             {1, 1, 2, 9, 9, 1, 3, 0},  // the filter does not fit in depth
             {1, 1, 2, 3, 2, 3, 3, 4},  // at some positions it does not meet the volume
             {2, 3, 5, 7, 9, 5, 1, 0},  // 1 x 1 x 1: no halo
             {1, 1, 19, 5, 4, 2, 2, 1},   {1, 1, 9, 17, 33, 1, 3, 1},  {1, 2, 6, 18, 35, 3, 3, 0},
             {1, 1, 7, 8, 9, 3, 4, 2},    {1, 2, 8, 6, 7, 2, 5, 2},    {1, 1, 33, 3, 3, 9, 3, 1},
             {3, 5, 4, 4, 4, 7, 2, 0},    {1, 2, 12, 21, 40, 6, 3, 1}, {2, 4, 17, 20, 34, 9, 3, 1},
             {1, 3, 10, 33, 65, 5, 5, 2}, {1, 40, 9, 7, 8, 13, 3, 1}})
      cases.push_back(conv(s));
    // planes, rows, cols, window, stride, padding.
    for (const PoolShape& s :
         std::initializer_list<PoolShape>{{1, 1, 1, 1, 1, 0},
                                          {1, 4, 6, 2, 2, 0},
                                          {3, 5, 7, 3, 2, 1},
                                          {0, 4, 4, 2, 2, 0},
                                          {2, 0, 4, 2, 1, 1},
                                          {2, 2, 9, 3, 1, 0},  // no row; the window does not fit
                                          {2, 1, 1, 5, 1, 4},  // all windows hold the one element
                                          {2, 33, 3, 4, 3, 3},
                                          {1, 31, 33, 1, 4, 0},  // a stride beyond the window
                                          {3, 40, 70, 3, 1, 1},
                                          {2, 65, 37, 7, 1, 3},
                                          {1, 35, 129, 16, 4, 15},
                                          {5, 23, 31, 2, 3, 1},
                                          {1, 1, 300, 3, 2, 1},
                                          {1, 300, 1, 3, 2, 1},
                                          {7, 56, 56, 3, 2, 1},
                                          {2, 127, 129, 5, 1, 2}})
      cases.push_back(pool(s));
    for (const std::int64_t pixels : {1, 2, 31, 32, 33, 49, 255, 256, 257, 1023, 1025, 12'347})
      cases.push_back(global(3, pixels));
    for (const std::int64_t pixels : {2, 7, 16, 48, 64, 96, 97}) cases.push_back(global(131, pixels));
    for (const std::int64_t planes : {0, 1, 7, 8, 9, 257, 1'031}) cases.push_back(global(planes, 49));
    cases.push_back(global(16'384, 3));
    cases.push_back(global(3, 70'001));  // for rungs that take a plane apart
    for (const PoolShape& s : std::initializer_list<PoolShape>{
             {3, 4, 6, 2, 2, 0}, {2, 5, 7, 1, 1, 0}, {2, 33, 37, 3, 1, 1}, {2, 23, 64, 5, 2, 2}}) {
      cases.push_back(pool(s));
      cases.back().variant += kSpecial;
    }
    for (const std::int64_t pixels : {1, 5, 49, 1025}) {
      cases.push_back(global(37, pixels));
      cases.back().variant += kSpecial;
    }
    // Each extent as more than a grid has blocks in y or z.
    for (const Conv3dShape& s : std::initializer_list<Conv3dShape>{{1, 65'537, 1, 1, 1, 1, 1, 0},
                                                                   {1, 1, 65'537, 1, 1, 1, 1, 0},
                                                                   {1, 1, 1, 65'537, 1, 1, 1, 0},
                                                                   {1, 1, 1, 1, 65'537, 1, 1, 0},
                                                                   {1, 1, 1, 1, 1, 65'537, 1, 0}})
      cases.push_back(conv(s));
    for (const PoolShape& s : std::initializer_list<PoolShape>{
             {65'537, 1, 1, 1, 1, 0}, {1, 65'537, 1, 1, 1, 0}, {1, 1, 65'537, 1, 1, 0}})
      cases.push_back(pool(s));
    cases.push_back(global(65'537, 1));
    ladder::add_with_offsets(cases, conv({1, 2, 4, 8, 16, 4, 3, 1}), {"out", "in", "filter"});
    ladder::add_with_offsets(cases, pool({2, 16, 64, 4, 4, 0}), {"out", "in"});
    ladder::add_with_offsets(cases, pool({2, 16, 64, 3, 1, 1}), {"out", "in"});
    for (const std::int64_t pixels : {64, 4096})
      ladder::add_with_offsets(cases, global(4, pixels), {"out", "in"});
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(conv({65'537, 1, 1, 1, 1, 1, 1, 0}));
      cases.push_back(conv({3, 19, 17, 31, 37, 33, 3, 1}));
      cases.push_back(conv({2, 7, 13, 67, 61, 21, 5, 2}));
      cases.push_back(pool({101, 127, 131, 13, 2, 6}));
      cases.push_back(global(2, 1'000'003));
      cases.push_back(global(100'003, 49));
      cases.push_back(conv({4, 32, 16, 56, 56, 64, 3, 1}, Case::Use::time));
      cases.push_back(pool({1024, 256, 256, 7, 1, 3}, Case::Use::time));
      cases.push_back(global(1 << 20, 49, Case::Use::time));
    } else {
      cases.push_back(conv({1, 8, 16, 32, 64, 64, 3, 1}, Case::Use::time));
      cases.push_back(pool({64, 128, 128, 7, 1, 3}, Case::Use::time));
      cases.push_back(global(1 << 16, 49, Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    if (is_conv(which)) return which["side"] >= 1 && which["side"] <= 5;
    if (is_global(which)) return which["pixels"] >= 1;
    return which["window"] >= 1 && which["stride"] >= 1 && which["padding"] < which["window"];
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return has("conv3d") ? is_conv(which) : has("global") ? is_global(which) : is_pool(which);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    if (is_conv(which)) {
      const Conv3dShape s = conv_of(which);
      fill(problem.input<float>("in", {s.batch, s.channels, s.depth, s.rows, s.cols}), random);
      fill(problem.input<float>("filter", {s.filters, s.channels, s.side, s.side, s.side}), random);
      problem.output<float>("out", {s.batch, s.filters, s.out_depth(), s.out_rows(), s.out_cols()});
      return;
    }
    if (is_pool(which)) {
      const PoolShape s = pool_of(which);
      fill(problem.input<float>("in", {s.planes, s.rows, s.cols}), which, random);
      problem.output<float>("out", {s.planes, s.out_rows(), s.out_cols()});
      return;
    }
    fill(problem.input<float>("in", {which["planes"], which["pixels"]}), which, random);
    problem.output<float>("out", {which["planes"]});
  }

  void reference(ladder::Problem& problem) const override {
    if (is_conv(problem.which()))
      conv_truth(problem);
    else if (is_pool(problem.which()))
      pool_truth(problem);
    else
      global_truth(problem);
  }

  std::vector<Case> giant_cases() const override {
    return {
        // Together, or divided among the rows of a block of up to 32, more than a grid has blocks in y or z.
        conv({64, 1, 16, 3, 3, 65, 1, 0}), conv({1, 1, 2'100'001, 1, 1, 1, 1, 0}),
        conv({1, 1, 1, 2'100'001, 1, 1, 1, 0}), pool({1, 2'100'001, 1, 1, 1, 0}),
        pool({2'100'001, 1, 1, 1, 1, 0}), global(2'100'001, 1),
        // More elements than 32 bits can count.
        conv({3, 1, 1'009, 1'013, 1'019, 2, 3, 1}), pool({3, 40'009, 53'003, 3, 1, 1}),
        pool({3, 46'337, 46'327, 2, 2, 0}), global(61'000'007, 101)};
  }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    if (is_conv(which)) {
      const Conv3dShape s = conv_of(which);
      problem.input<float>("in", {s.batch, s.channels, s.depth, s.rows, s.cols});
      problem.input<float>("filter", {s.filters, s.channels, s.side, s.side, s.side});
      problem.output<float>("out", {s.batch, s.filters, s.out_depth(), s.out_rows(), s.out_cols()});
    } else if (is_pool(which)) {
      const PoolShape s = pool_of(which);
      problem.input<float>("in", {s.planes, s.rows, s.cols});
      problem.output<float>("out", {s.planes, s.out_rows(), s.out_cols()});
    } else {
      problem.input<float>("in", {which["planes"], which["pixels"]});
      problem.output<float>("out", {which["planes"]});
    }
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    if (is_conv(which)) return conv_element(conv_of(which), i, in);
    if (is_pool(which)) return pool_element(pool_of(which), i, in);
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k < which["pixels"]; ++k)
      most = std::max(most, in("in", i * which["pixels"] + k));
    return most;
  }

  ladder::Work work(const Case& which) const override {
    if (is_conv(which)) {
      const Conv3dShape s = conv_of(which);
      const double taps = static_cast<double>(s.channels) * s.side * s.side * s.side;
      const double results =
          static_cast<double>(s.batch) * s.filters * s.out_depth() * s.out_rows() * s.out_cols();
      const double in = static_cast<double>(s.batch) * s.channels * s.depth * s.rows * s.cols;
      return {.bytes_read = (in + s.filters * taps) * sizeof(float),
              .bytes_written = results * sizeof(float),
              .flops = 2 * results * taps};
    }
    if (is_pool(which)) {
      const PoolShape s = pool_of(which);
      return {.bytes_read = static_cast<double>(s.planes) * s.rows * s.cols * sizeof(float),
              .bytes_written = static_cast<double>(s.planes) * s.out_rows() * s.out_cols() * sizeof(float)};
    }
    const double planes = static_cast<double>(which["planes"]);
    return {.bytes_read = planes * static_cast<double>(which["pixels"]) * sizeof(float),
            .bytes_written = planes * sizeof(float)};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    float* out = arguments.get<float>("out");
    const float* in = arguments.get<float>("in");
    if (is_conv(which)) {
      if (&conv3d == nullptr) throw ladder::Objection("this rung lacks conv3d(float*, const float*, ...)");
      return conv3d(out, in, arguments.get<float>("filter"), conv_of(which));
    }
    if (is_pool(which)) {
      if (&max_pool == nullptr)
        throw ladder::Objection("this rung lacks max_pool(float*, const float*, ...)");
      return max_pool(out, in, pool_of(which));
    }
    if (&global_max_pool == nullptr)
      throw ladder::Objection("this rung lacks global_max_pool(float*, const float*, int, int)");
    return global_max_pool(out, in, get(which, "planes"), get(which, "pixels"));
  }

 private:
  /// The sum is exact: products of multiples of 1/64, of which floats hold some thousand.
  static double conv_element(const Conv3dShape& s, std::int64_t i, const Input& in) {
    const std::int64_t x = i % s.out_cols(), y = i / s.out_cols() % s.out_rows(),
                       z = i / s.out_cols() / s.out_rows() % s.out_depth(),
                       channel = i / s.out_cols() / s.out_rows() / s.out_depth();
    const std::int64_t taps = static_cast<std::int64_t>(s.channels) * s.side * s.side * s.side;
    double sum = 0;
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t c = tap / (s.side * s.side * s.side);
      const std::int64_t plane = z + tap / (s.side * s.side) % s.side - s.padding,
                         row = y + tap / s.side % s.side - s.padding, col = x + tap % s.side - s.padding;
      if (plane < 0 || plane >= s.depth || row < 0 || row >= s.rows || col < 0 || col >= s.cols) continue;
      sum += in("filter", channel % s.filters * taps + tap) *
             in("in",
                (((channel / s.filters * s.channels + c) * s.depth + plane) * s.rows + row) * s.cols + col);
    }
    return sum;
  }

  static double pool_element(const PoolShape& s, std::int64_t i, const Input& in) {
    const std::int64_t left = i % s.out_cols() * s.stride - s.padding,
                       top = i / s.out_cols() % s.out_rows() * s.stride - s.padding,
                       plane = i / s.out_cols() / s.out_rows();
    double most = -std::numeric_limits<double>::infinity();
    for (std::int64_t row = std::max<std::int64_t>(top, 0);
         row < std::min<std::int64_t>(top + s.window, s.rows); ++row)
      for (std::int64_t col = std::max<std::int64_t>(left, 0);
           col < std::min<std::int64_t>(left + s.window, s.cols); ++col)
        most = std::max(most, in("in", (plane * s.rows + row) * s.cols + col));
    return most;
  }

  static void conv_truth(ladder::Problem& problem) {
    const Conv3dShape s = conv_of(problem.which());
    // As in lesson 21: k additions in single precision, and a factor rounded to 11 bits must show.
    const double taps = static_cast<double>(s.channels) * s.side * s.side * s.side;
    const auto out = problem.expect("out", {.absolute = 4.0 * taps * 0x1p-24});
    const auto in = problem.read<float>("in"), filter = problem.read<float>("filter");
    const std::int64_t voxels = static_cast<std::int64_t>(s.out_depth()) * s.out_rows() * s.out_cols();
    const std::int64_t results = voxels == 0 ? 0 : static_cast<std::int64_t>(s.batch) * s.filters;
    const std::int64_t volume = static_cast<std::int64_t>(s.channels) * s.depth * s.rows * s.cols;
    const std::int64_t one = static_cast<std::int64_t>(s.channels) * s.side * s.side * s.side;
    ladder::parallel_for(results * kChunk, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin / kChunk; i * kChunk < end; ++i)
        slide(out.subspan(i * voxels, voxels), in.subspan(i / s.filters * volume, volume),
              filter.subspan(i % s.filters * one, one), s);
    });
  }

  /// Adds the products of one volume and one filter to one channel of zeros, a tap at a time.
  static void slide(std::span<double> out, std::span<const float> in, std::span<const float> filter,
                    const Conv3dShape& s) {
    const int area = s.side * s.side, lines = s.out_depth() * s.out_rows(), out_cols = s.out_cols();
    for (std::size_t tap = 0; tap < filter.size(); ++tap) {
      const int in_filter = static_cast<int>(tap) % (area * s.side),
                c = static_cast<int>(tap) / (area * s.side);
      const int t = in_filter / area, r = in_filter / s.side % s.side, right = in_filter % s.side - s.padding;
      const int first = std::max(0, -right), last = std::min(out_cols, s.cols - right);
      const double weight = filter[tap];
      for (int i = 0; i < lines; ++i) {
        const int plane = i / s.out_rows() + t - s.padding, row = i % s.out_rows() + r - s.padding;
        if (plane < 0 || plane >= s.depth || row < 0 || row >= s.rows) continue;
        const float* line =
            in.data() + ((static_cast<std::int64_t>(c) * s.depth + plane) * s.rows + row) * s.cols;
        double* sums = out.data() + static_cast<std::int64_t>(i) * out_cols;
        for (int x = first; x < last; ++x) sums[x] += weight * line[x + right];
      }
    }
  }

  static void pool_truth(ladder::Problem& problem) {
    const PoolShape s = pool_of(problem.which());
    const auto out = problem.expect("out", {});  // nothing is computed, so nothing may differ
    const auto in = problem.read<float>("in");
    const std::int64_t cols = s.out_cols(), rows = s.out_rows();
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t top = i / cols % rows * s.stride - s.padding,
                           left = i % cols * s.stride - s.padding;
        const float* plane = in.data() + i / cols / rows * s.rows * s.cols;
        double most = -std::numeric_limits<double>::infinity();
        for (std::int64_t row = std::max<std::int64_t>(top, 0);
             row < std::min<std::int64_t>(top + s.window, s.rows); ++row)
          for (std::int64_t col = std::max<std::int64_t>(left, 0);
               col < std::min<std::int64_t>(left + s.window, s.cols); ++col)
            most = std::max<double>(most, plane[row * s.cols + col]);
        out[i] = most;
      }
    });
  }

  static void global_truth(ladder::Problem& problem) {
    const std::int64_t pixels = problem.which()["pixels"];
    const auto out = problem.expect("out", {});
    const auto in = problem.read<float>("in");
    for (std::size_t plane = 0; plane < out.size(); ++plane) {
      const auto elements = in.subspan(plane * pixels, pixels);
      out[plane] = *std::max_element(elements.begin(), elements.end());
    }
  }

  /// For a pool. All negative: a maximum that begins at 0 never finds one of them. Or hardly anything but
  /// -infinity, which windows are full of, and numbers that take its place in a maximum that begins there.
  static void fill(std::span<float> array, const Case& which, ladder::Random& random) {
    random.uniform(array, -1000.0f, -1.0f);
    if (!which.variant.ends_with(kSpecial)) return;
    ladder::scatter_special(array, random, false);
    for (float& value : array)
      if (random.next() % 4 != 0) value = -std::numeric_limits<float>::infinity();
  }

  /// Between 1/2 and 1, of either sign: no product is so small that leaving it out would pass unseen.
  static void fill(std::span<float> array, ladder::Random& random) {
    random.uniform(array, -0.5f, 0.5f);
    for (float& value : array) value += value < 0 ? -0.5f : 0.5f;
  }
};

}  // namespace

LADDER_LESSON(Conv3dAndMaxpool)
