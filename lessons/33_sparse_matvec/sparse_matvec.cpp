// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "sparse_matvec.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"
#include "judge/matrix.h"

// A rung defines one of the two; the address of the other is null.
cudaError_t sparse_matvec(float*, const Csr&, const float*, Carry*) __attribute__((weak));
cudaError_t sell_matvec(float*, const Sell&, const float*) __attribute__((weak));

namespace {

using ladder::Case;

// What a case's variant begins with: the function.
constexpr const char* kCsr = "sparse_matvec";
constexpr const char* kSell = "sell_matvec";

bool is(const Case& which, const char* function) { return which.variant.starts_with(function); }

std::string_view kind_of(const Case& which) {
  return std::string_view(which.variant).substr(which.variant.find(", ") + 2);
}

int get(const Case& which, const char* name) { return static_cast<int>(which[name]); }

/// A quarter, a half or three quarters of either sign. Products with elements of x are multiples of 2^-12,
/// and the sum of all of them is exact in any order as long as none is larger than 2^24 of these: a row of
/// 200,000 entries is off 0 by 2^21 of them, typically. None is 0, so none can be left out unseen; and x has
/// 12 bits, one more than a half.
float draw_value(ladder::Random& random) {
  const std::uint64_t bits = random.next();
  const float size = static_cast<float>(1 + bits / 2 % 3) / 4;
  return bits % 2 == 0 ? size : -size;
}

/// An odd multiple of 2^-10 from -4 to 4.
float draw_element(ladder::Random& random) {
  return static_cast<float>(2 * static_cast<int>(random.next() % 4096) - 4095) / 1024;
}

class SparseMatvec : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const bool gpu = device == ladder::DeviceKind::gpu;
    for (const std::string function : {kCsr, kSell}) {
      const auto add = [&](const char* kind, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                           Case::Use use = Case::Use::check) {
        cases.push_back(
            {{{"rows", rows}, {"cols", cols}, {"entries", entries}}, function + ", " + kind, use});
      };
      // Nobody; one of everything; no entries; one column; around a slice, and what a block has of a path of
      // rows + entries: 1280, the same and one more; few entries and many; rows of all widths.
      constexpr std::int64_t kShapes[][3] = {
          {0, 5, 0},       {1, 1, 0},        {1, 1, 1},       {1, 1, 40},
          {3, 1, 100},     {13, 3, 1500},    {100, 1, 600},   {5, 7, 0},
          {31, 40, 50},    {33, 40, 49},     {2, 1000, 3000}, {129, 64, 31},
          {1000, 900, 7},  {257, 300, 1023}, {300, 200, 981}, {1023, 1023, 16'000},
          {1100, 30, 5000}};
      for (const auto& [rows, cols, entries] : kShapes) add("uniform", rows, cols, entries);
      for (const char* kind : {"banded", "power law", "one row", "holes"})
        for (const auto& [rows, cols, entries] :
             {std::array<std::int64_t, 3>{40, 2, 600}, {5, 4, 3000}, {700, 900, 6000}, {2100, 600, 1700}})
          add(kind, rows, cols, entries);
      if (gpu) {
        add("uniform", 1'000'003, 70'001, 2'000'003);
        add("banded", 200'001, 200'001, 4'000'000);
        add("one row", 70'001, 5000, 150'000);
        if (function == kCsr) add("power law", 1'000'003, 999'983, 8'000'011);
      }
      // Rungs of the first function are for rows of any length, the last for rows of about the same.
      const char* const timed = function == kCsr ? "power law" : "uniform";
      const std::int64_t rows = gpu ? 1 << 20 : 1 << 12;
      add(timed, rows, rows, 16 * rows, Case::Use::time);
    }
    return cases;
  }

  bool valid(const Case& which) const override {
    const std::int64_t rows = which["rows"], entries = which["entries"];
    return which["cols"] >= 1 && rows + entries < std::int64_t{1} << 31 && (rows > 0 || entries == 0);
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const bool sliced = rung.find("ell") != std::string_view::npos;
    return is(which, sliced ? kSell : kCsr);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t rows = which["rows"], entries = which["entries"];
    const Pattern pattern = draw_pattern(kind_of(which), rows, which["cols"], entries, random);
    if (is(which, kSell)) {
      declare_slices(problem, pattern, random);
    } else {
      std::ranges::copy(pattern.row_start, problem.input<int>("row_start", {rows + 1}).begin());
      std::ranges::copy(pattern.columns, problem.input<int>("columns", {entries}).begin());
      for (float& value : problem.input<float>("values", {entries})) value = draw_value(random);
    }
    for (float& value : problem.input<float>("x", {which["cols"]})) value = draw_element(random);
    problem.output<float>("y", {rows});
  }

  void reference(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    const auto columns = problem.read<int>("columns");
    const auto values = problem.read<float>("values"), x = problem.read<float>("x");
    const auto y = problem.expect("y", {});
    const auto product = [&](std::int64_t i) { return double{values[i]} * x[columns[i]]; };
    if (is(which, kCsr)) {
      const auto row_start = problem.read<int>("row_start");
      for (std::int64_t row = 0; row < which["rows"]; ++row)
        for (int i = row_start[row]; i < row_start[row + 1]; ++i) y[row] += product(i);
      return;
    }
    const auto slice_start = problem.read<int>("slice_start"), order = problem.read<int>("order");
    for (std::size_t slice = 0; slice + 1 < slice_start.size(); ++slice)
      for (std::int64_t i = slice_start[slice]; i < slice_start[slice + 1]; ++i)
        if (columns[i] != kNone) y[order[slice * kSlice + (i - slice_start[slice]) % kSlice]] += product(i);
  }

  ladder::Work work(const Case& which) const override {
    const auto rows = static_cast<double>(which["rows"]), cols = static_cast<double>(which["cols"]);
    const auto entries = static_cast<double>(which["entries"]);
    return {.bytes_read = entries * (sizeof(float) + sizeof(int)) + rows * sizeof(int) + cols * sizeof(float),
            .bytes_written = rows * sizeof(float),
            .flops = 2 * entries};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    carries_ = nullptr;
    if (is(which, kSell)) return cudaSuccess;
    return ladder::allocate_scratch(&carries_, "carries",
                                    carries_of(get(which, "rows"), get(which, "entries")));
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    float* const y = arguments.get<float>("y");
    const int* const columns = arguments.get<int>("columns");
    const float *const values = arguments.get<float>("values"), *const x = arguments.get<float>("x");
    const int rows = get(which, "rows"), cols = get(which, "cols");
    if (is(which, kSell)) {
      if (&sell_matvec == nullptr) throw ladder::Objection("this rung lacks sell_matvec(float*, ...)");
      return sell_matvec(
          y, {arguments.get<int>("slice_start"), arguments.get<int>("order"), columns, values, rows, cols},
          x);
    }
    if (&sparse_matvec == nullptr) throw ladder::Objection("this rung lacks sparse_matvec(float*, ...)");
    return sparse_matvec(
        y, {arguments.get<int>("row_start"), columns, values, rows, cols, get(which, "entries")}, x,
        carries_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(carries_); }

 private:
  /// The same entries as a sliced ELL, with NaNs in places that are none.
  static void declare_slices(ladder::Problem& problem, const Pattern& pattern, ladder::Random& random) {
    const std::int64_t rows = problem.which()["rows"], slices = (rows + kSlice - 1) / kSlice;
    const auto length = [&](int row) { return pattern.row_start[row + 1] - pattern.row_start[row]; };
    std::vector<int> sorted(rows);
    std::iota(sorted.begin(), sorted.end(), 0);
    for (std::int64_t first = 0; first < rows; first += kWindow)
      std::stable_sort(sorted.begin() + first, sorted.begin() + std::min(rows, first + kWindow),
                       [&](int a, int b) { return length(a) > length(b); });
    const auto slice_start = problem.input<int>("slice_start", {slices + 1});
    slice_start[0] = 0;
    for (std::int64_t slice = 0; slice < slices; ++slice)  // a slice's first row is its longest
      slice_start[slice + 1] = slice_start[slice] + kSlice * length(sorted[slice * kSlice]);
    const auto order = problem.input<int>("order", {slices * kSlice});
    std::ranges::fill(order, kNone);
    std::ranges::copy(sorted, order.begin());
    const std::int64_t places = slice_start[slices];
    const auto columns = problem.input<int>("columns", {places});
    const auto values = problem.input<float>("values", {places});
    std::ranges::fill(columns, kNone);
    std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t place = 0; place < rows; ++place)
      for (int j = 0; j < length(sorted[place]); ++j) {
        const std::int64_t at = slice_start[place / kSlice] + std::int64_t{j} * kSlice + place % kSlice;
        columns[at] = pattern.columns[pattern.row_start[sorted[place]] + j];
        values[at] = draw_value(random);
      }
  }

  Carry* carries_ = nullptr;
};

}  // namespace

LADDER_LESSON(SparseMatvec)
