// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "concat_and_permute.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/special.h"

// A rung defines one of the two; the address of the other is null.
cudaError_t concat(float*, const float*, const float*, int, int, int) __attribute__((weak));
cudaError_t permute(float*, const float*, Shape, Order) __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char* kConcat = "concat";             // any other variant begins with an order: "0231"
constexpr const char* kSpecial = ", special values";  // the end of variants with whatever a float can be

bool is_concat(const Case& which) { return which.variant.starts_with(kConcat); }

Shape shape_of(const Case& which) {
  return {{static_cast<int>(which["d0"]), static_cast<int>(which["d1"]), static_cast<int>(which["d2"]),
           static_cast<int>(which["d3"])}};
}

Order order_of(const Case& which) {
  Order order;
  for (int k = 0; k < 4; ++k) order.axis[k] = which.variant[static_cast<std::size_t>(k)] - '0';
  return order;
}

Case concat_case(std::int64_t rows, std::int64_t a, std::int64_t b, Case::Use use = Case::Use::check) {
  return {{{"rows", rows}, {"a_cols", a}, {"b_cols", b}}, kConcat, use};
}

Case permute_case(const std::string& order, std::array<std::int64_t, 4> d, Case::Use use = Case::Use::check) {
  return {{{"d0", d[0]}, {"d1", d[1]}, {"d2", d[2]}, {"d3", d[3]}}, order, use};
}

class ConcatAndPermute : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Widths of whole vectors and others, on either side; matrices without columns.
    constexpr std::int64_t kWidths[][3] = {{0, 3, 4},    {3, 0, 0},     {3, 0, 5},     {3, 5, 0},
                                           {1, 1, 1},    {2, 3, 1},     {5, 4, 8},     {7, 4, 3},
                                           {7, 3, 4},    {9, 8, 0},     {33, 31, 33},  {6, 2, 2},
                                           {65, 64, 32}, {9, 1000, 24}, {64, 12, 500}, {1025, 3, 7}};
    for (const auto& [rows, a, b] : kWidths) cases.push_back(concat_case(rows, a, b));
    for (const auto& [rows, a, b] : {std::array{5, 3, 4}, {6, 8, 12}}) {
      cases.push_back(concat_case(rows, a, b));
      cases.back().variant += kSpecial;
    }
    cases.push_back(concat_case(65'536, 1, 0));  // more than a grid has blocks in y
    cases.push_back(concat_case(1, 1, 65'535));
    std::string order = "0123";
    do cases.push_back(permute_case(order, {3, 5, 7, 9}));  // all 24, no two extents the same
    while (std::next_permutation(order.begin(), order.end()));
    // Around tiles of 32 and of 64; small pictures, which no tile fits; axes that hold one index or none.
    for (const char* layout : {"0231", "0312"})
      for (const auto& d : std::initializer_list<std::array<std::int64_t, 4>>{{1, 1, 1, 1},
                                                                              {2, 0, 3, 4},
                                                                              {2, 3, 33, 31},
                                                                              {1, 64, 7, 7},
                                                                              {2, 65, 14, 14},
                                                                              {3, 32, 8, 8},
                                                                              {2, 68, 12, 12},
                                                                              {1, 128, 1, 129},
                                                                              {1, 1, 63, 65},
                                                                              {2, 4, 56, 56}})
        cases.push_back(permute_case(layout, d));
    for (const char* turn : {"3210", "2130", "1032", "3012"})
      for (const char* values : {"", kSpecial})
        cases.push_back(permute_case(turn + std::string(values), {4, 36, 3, 68}));
    cases.push_back(permute_case("0132" + std::string(kSpecial), {2, 3, 5, 7}));
    for (const char* turn : {"0231", "0312", "3210"})
      for (const auto& d : std::initializer_list<std::array<std::int64_t, 4>>{
               {65'537, 1, 1, 1}, {1, 65'537, 1, 1}, {1, 1, 65'537, 1}, {1, 1, 1, 65'537}})
        cases.push_back(permute_case(turn, d));
    cases.push_back(permute_case("0231", {257, 256, 1, 1}));  // two axes in one of the grid's
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(concat_case(70'001, 5, 9));
      cases.push_back(concat_case(1'009, 400, 597));
      for (const char* layout : {"0231", "0312", "3210", "1203"})
        cases.push_back(permute_case(layout, {13, 67, 41, 29}));
      cases.push_back(permute_case("0231", {2, 3, 1'021, 509}));
    }
    const std::int64_t batch = device == ladder::DeviceKind::gpu ? 128 : 16;
    cases.push_back(concat_case(256 * batch, 1'344, 1'792, Case::Use::time));
    cases.push_back(permute_case("0231", {batch, 256, 56, 56}, Case::Use::time));
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    // cuBLAS multiplies by one, which keeps every number and loses the bits of a NaN.
    if (rung == "permute_cublas" && which.variant.ends_with(kSpecial)) return false;
    return (is_concat(which)) == (rung.find(kConcat) != std::string_view::npos);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    if (is_concat(which)) {
      const std::int64_t rows = which["rows"], a = which["a_cols"], b = which["b_cols"];
      fill(problem.input<float>("a", {rows, a}), which, random);
      fill(problem.input<float>("b", {rows, b}), which, random);
      problem.output<float>("out", {rows, a + b});
      return;
    }
    const std::array<std::int64_t, 4> d = {which["d0"], which["d1"], which["d2"], which["d3"]};
    const Order order = order_of(which);
    fill(problem.input<float>("in", {d[0], d[1], d[2], d[3]}), which, random);
    problem.output<float>("out", {d[order.axis[0]], d[order.axis[1]], d[order.axis[2]], d[order.axis[3]]});
  }

  void reference(ladder::Problem& problem) const override {
    const auto out = problem.expect("out", ladder::kSameBits);
    if (out.empty()) return;
    if (is_concat(problem.which()))
      concat_truth(problem, out);
    else
      permute_truth(problem, out);
  }

  /// About as many elements as the contracts allow: a stride that is added to an index in int leaves its
  /// range.
  std::vector<Case> giant_cases() const override {
    return {concat_case(3, 400'000'003, 315'827'664), permute_case("0231", {2, 3, 16'381, 21'845}),
            permute_case("3210", {2, 3, 16'381, 21'845})};
  }

  void outline(ladder::Problem& problem) const override {
    const Case& which = problem.which();
    if (is_concat(which)) {
      const std::int64_t rows = which["rows"], a = which["a_cols"], b = which["b_cols"];
      problem.input<float>("a", {rows, a});
      problem.input<float>("b", {rows, b});
      problem.output<float>("out", {rows, a + b});
      return;
    }
    const std::array<std::int64_t, 4> d = {which["d0"], which["d1"], which["d2"], which["d3"]};
    const Order order = order_of(which);
    problem.input<float>("in", {d[0], d[1], d[2], d[3]});
    problem.output<float>("out", {d[order.axis[0]], d[order.axis[1]], d[order.axis[2]], d[order.axis[3]]});
  }

  double element(const Case& which, std::string_view, std::int64_t i, const Input& in) const override {
    if (!is_concat(which)) return in("in", permuted_from(i, shape_of(which), order_of(which)));
    const std::int64_t a = which["a_cols"], b = which["b_cols"], row = i / (a + b), col = i % (a + b);
    return col < a ? in("a", row * a + col) : in("b", row * b + col - a);
  }

  ladder::Work work(const Case& which) const override {
    double n = 1;
    if (is_concat(which))
      n = static_cast<double>(which["rows"]) * static_cast<double>(which["a_cols"] + which["b_cols"]);
    else
      for (const auto& [name, extent] : which.extents) n *= static_cast<double>(extent);
    return {.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float), .flops = 0};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    if (is_concat(which)) {
      if (&concat == nullptr) throw ladder::Objection("this rung lacks concat(float*, const float*, ...)");
      return concat(arguments.get<float>("out"), arguments.get<float>("a"), arguments.get<float>("b"),
                    static_cast<int>(which["rows"]), static_cast<int>(which["a_cols"]),
                    static_cast<int>(which["b_cols"]));
    }
    if (&permute == nullptr)
      throw ladder::Objection("this rung lacks permute(float*, const float*, Shape, Order)");
    return permute(arguments.get<float>("out"), arguments.get<float>("in"), shape_of(which), order_of(which));
  }

 private:
  static void fill(std::span<float> in, const Case& which, ladder::Random& random) {
    random.uniform(in, -1000.0f, 1000.0f);
    if (which.variant.ends_with(kSpecial)) ladder::scatter_special(in, random, true);
  }

  static void concat_truth(ladder::Problem& problem, std::span<double> out) {
    const std::int64_t a_cols = problem.which()["a_cols"], b_cols = problem.which()["b_cols"];
    const auto a = problem.read<float>("a"), b = problem.read<float>("b");
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = i / (a_cols + b_cols), col = i % (a_cols + b_cols);
        out[i] = col < a_cols ? a[row * a_cols + col] : b[row * b_cols + col - a_cols];
      }
    });
  }

  static void permute_truth(ladder::Problem& problem, std::span<double> out) {
    const auto in = problem.read<float>("in");
    const Shape shape = shape_of(problem.which());
    const Order order = order_of(problem.which());
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) out[i] = in[permuted_from(i, shape, order)];
    });
  }

  /// Where element @p i of the output stands in the input.
  static std::int64_t permuted_from(std::int64_t i, const Shape& shape, const Order& order) {
    std::array<std::int64_t, 4> stride{};
    std::int64_t below = 1, from = 0;
    for (int k = 3; k >= 0; --k) {
      stride[k] = below;
      below *= shape.extent[k];
    }
    for (int k = 3; k >= 0; --k) {
      from += i % shape.extent[order.axis[k]] * stride[order.axis[k]];
      i /= shape.extent[order.axis[k]];
    }
    return from;
  }
};

}  // namespace

LADDER_LESSON(ConcatAndPermute)
