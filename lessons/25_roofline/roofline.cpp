// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "roofline.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/parallel.h"
#include "grader/lesson/special.h"

// A rung defines one of these; the addresses of the others are null.
cudaError_t move(float*, const float*, std::int64_t) __attribute__((weak));
cudaError_t chase(unsigned*, const unsigned*, std::int64_t) __attribute__((weak));
cudaError_t sum_table(float*, const float*, int, int) __attribute__((weak));
cudaError_t settle(float*, const float*, std::int64_t, int) __attribute__((weak));
cudaError_t settle(double*, const double*, std::int64_t, int) __attribute__((weak));
cudaError_t add_products(float*, const __half*, const __half*, int, int) __attribute__((weak));

namespace {

using ladder::Case;

constexpr const char* kMove = "move";
constexpr const char* kChase = "chase";
constexpr const char* kShared = "table";
constexpr const char* kSingle = "single";
constexpr const char* kDouble = "double";
constexpr const char* kTensor = "products";
constexpr std::int64_t kLine = 32;  // elements of `next` from one stop of the chain to another: 128 bytes

using Extents = std::vector<std::pair<std::string, std::int64_t>>;

struct Sizes {
  std::int64_t n, steps;
};

Case of(const char* what, Sizes sizes, Case::Use use = Case::Use::check) {
  Extents extents = {{"n", sizes.n}};
  if (std::string_view(what) == kChase)
    extents.emplace_back("hops", sizes.steps);
  else if (std::string_view(what) != kMove)
    extents.emplace_back("steps", sizes.steps);
  return {std::move(extents), what, use};
}

/// A cyclic order of all lines, in which every line follows a random other one (Sattolo's shuffle).
void fill_chain(std::span<unsigned> next, ladder::Random& random) {
  std::vector<unsigned> order(next.size() / kLine);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.next() % (i - 1)]);
  std::fill(next.begin(), next.end(), 0u);
  for (std::size_t i = 0; i < order.size(); ++i) next[i * kLine] = order[i] * static_cast<unsigned>(kLine);
}

template <class Function>
void require_defined(Function* function, const char* name) {
  if (function == nullptr) throw ladder::Objection(std::string("this rung lacks ") + name);
}

class Roofline : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    const bool gpu = device == ladder::DeviceKind::gpu;
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 3, 4, 31, 33, 127, 1023, 1025, 4099, 65'537})
      cases.push_back(of(kMove, {n, 0}));
    for (const Sizes& s :
         std::initializer_list<Sizes>{{32, 5}, {64, 0}, {64, 1}, {96, 2}, {1024, 31}, {4096, 300}})
      cases.push_back(of(kChase, s));
    for (const Sizes& s : std::initializer_list<Sizes>{
             {0, 4}, {1, 0}, {1, 1}, {33, 7}, {255, 64}, {1025, 33}, {2000, 31}, {60, 1024}, {3000, 12}})
      cases.push_back(of(kShared, s));
    for (const char* precision : {kSingle, kDouble})
      for (const Sizes& s : std::initializer_list<Sizes>{{0, 4},
                                                         {1, 0},
                                                         {1, 1},
                                                         {2, 17},
                                                         {33, 100},
                                                         {1023, 5},
                                                         {2047, 16},
                                                         {2049, 31},
                                                         {63, 1000},
                                                         {8191, 8}})
        cases.push_back(of(precision, s));
    for (const Sizes& s :
         std::initializer_list<Sizes>{{0, 3}, {1, 0}, {1, 1}, {2, 5}, {7, 33}, {9, 4}, {65, 100}})
      cases.push_back(of(kTensor, s));

    ladder::add_with_offsets(cases, of(kChase, {1024, 31}), {"out", "next"});
    ladder::add_with_offsets(cases, of(kShared, {1024, 32}), {"out", "table"});
    for (const char* precision : {kSingle, kDouble})
      ladder::add_with_offsets(cases, of(precision, {4096, 8}), {"out", "in"});

    const auto time = Case::Use::time;
    cases.push_back(of(kMove, {gpu ? 1 << 28 : 1 << 22, 0}, time));
    // Of one stop a line: what the L1 cache holds, what the L2 cache holds, and what neither does.
    cases.push_back(of(kChase, {4096, gpu ? 65'536 : 4096}, time));
    cases.push_back(of(kChase, {1 << 18, gpu ? 65'536 : 16'384}, time));
    cases.push_back(of(kChase, {gpu ? 1 << 28 : 1 << 24, gpu ? 65'536 : 4096}, time));
    cases.push_back(of(kShared, {gpu ? 1 << 24 : 1 << 18, 1024}, time));
    // The dial of the roofline: 1/4, 4, 16 and 256 flop for each byte.
    for (const int steps : {1, 16, 64, 1024})
      cases.push_back(of(kSingle, {gpu ? 1 << 26 : 1 << 22, steps}, time));
    cases.push_back(of(kDouble, {gpu ? 1 << 25 : 1 << 19, 1024}, time));
    cases.push_back(of(kTensor, {gpu ? 1 << 16 : 1 << 12, gpu ? 4096 : 64}, time));
    return cases;
  }

  bool valid(const Case& which) const override {
    if (which.variant == kChase) return which["n"] >= kLine && which["n"] % kLine == 0;
    return which.variant != kShared || which["steps"] <= kTable;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const auto has = [&](const char* word) { return rung.find(word) != std::string_view::npos; };
    return which.variant == (has("bandwidth") ? kMove
                             : has("latency") ? kChase
                             : has("shared")  ? kShared
                             : has("fp64")    ? kDouble
                             : has("tensor")  ? kTensor
                                              : kSingle);
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t n = which["n"];
    if (which.variant == kChase) {
      fill_chain(problem.input<unsigned>("next", {n}), random);
      problem.output<unsigned>("out", {1});
    } else if (which.variant == kShared) {
      random.uniform(problem.input<float>("table", {kTable}), 0.5f, 1.0f);
      problem.output<float>("out", {n});
    } else if (which.variant == kDouble) {
      random.uniform(problem.input<double>("in", {n}), -4.0, 4.0);
      problem.output<double>("out", {n});
    } else if (which.variant == kTensor) {
      for (const char* name : {"a", "b"})
        random.uniform(problem.input<__half>(name, {n, kSide, kSide}), __half(0.5f), __half(1.0f));
      problem.output<float>("out", {n, kSide, kSide});
    } else {
      const auto in = problem.input<float>("in", {n});
      random.uniform(in, -4.0f, 4.0f);
      if (which.variant == kMove && which.use == Case::Use::check) ladder::scatter_special(in, random, true);
      problem.output<float>("out", {n});
    }
  }

  void reference(ladder::Problem& problem) const override {
    const std::string& what = problem.which().variant;
    if (what == kMove)
      move_truth(problem);
    else if (what == kChase)
      chase_truth(problem);
    else if (what == kShared)
      table_truth(problem);
    else if (what == kSingle)
      settle_truth<float>(problem, 0x1p-24);
    else if (what == kDouble)
      settle_truth<double>(problem, 0x1p-53);
    else
      products_truth(problem);
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    const std::string& what = which.variant;
    const double steps = what == kMove || what == kChase ? 0 : static_cast<double>(which["steps"]);
    if (what == kMove) return {.bytes_read = 4 * n, .bytes_written = 4 * n};
    if (what == kChase) {  // a whole line is never asked for, and no other one is
      const double lines = std::min(n / kLine, static_cast<double>(which["hops"]));
      return {.bytes_read = lines * sizeof(unsigned), .bytes_written = sizeof(unsigned)};
    }
    if (what == kShared)
      return {.bytes_read = kTable * sizeof(float), .bytes_written = 4 * n, .flops = n * steps};
    if (what == kTensor)
      return {.bytes_read = 2.0 * sizeof(__half) * kSide * kSide * n,
              .bytes_written = sizeof(float) * kSide * kSide * n,
              .flops = 2.0 * kSide * kSide * kSide * steps * n,
              .unit = ladder::Unit::tensor};
    const bool twice = what == kDouble;
    const double bytes = n * static_cast<double>(twice ? sizeof(double) : sizeof(float));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .flops = 2 * n * steps,
            .unit = twice ? ladder::Unit::fp64 : ladder::Unit::fp32};
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    const std::string& what = which.variant;
    const std::int64_t n = which["n"];
    const auto steps = [&] { return static_cast<int>(which["steps"]); };
    if (what == kMove) {
      require_defined(&move, "move(float*, const float*, std::int64_t)");
      return move(arguments.get<float>("out"), arguments.get<float>("in"), n);
    }
    if (what == kChase) {
      require_defined(&chase, "chase(unsigned*, const unsigned*, std::int64_t)");
      return chase(arguments.get<unsigned>("out"), arguments.get<unsigned>("next"), which["hops"]);
    }
    if (what == kShared) {
      require_defined(&sum_table, "sum_table(float*, const float*, int, int)");
      return sum_table(arguments.get<float>("out"), arguments.get<float>("table"), static_cast<int>(n),
                       steps());
    }
    if (what == kTensor) {
      require_defined(&add_products, "add_products(float*, const __half*, const __half*, int, int)");
      return add_products(arguments.get<float>("out"), arguments.get<__half>("a"), arguments.get<__half>("b"),
                          static_cast<int>(n), steps());
    }
    if (what == kDouble) {
      cudaError_t (*function)(double*, const double*, std::int64_t, int) = settle;
      require_defined(function, "settle(double*, const double*, std::int64_t, int)");
      return settle(arguments.get<double>("out"), arguments.get<double>("in"), n, steps());
    }
    cudaError_t (*function)(float*, const float*, std::int64_t, int) = settle;
    require_defined(function, "settle(float*, const float*, std::int64_t, int)");
    return settle(arguments.get<float>("out"), arguments.get<float>("in"), n, steps());
  }

 private:
  static void move_truth(ladder::Problem& problem) {
    const auto out = problem.expect("out", ladder::kSameBits);
    const auto in = problem.read<float>("in");
    std::copy(in.begin(), in.end(), out.begin());
  }

  static void chase_truth(ladder::Problem& problem) {
    const auto next = problem.read<unsigned>("next");
    unsigned at = 0;
    for (std::int64_t hop = 0; hop < problem.which()["hops"]; ++hop) at = next[at];
    problem.expect("out", {})[0] = at;
  }

  static void table_truth(ladder::Problem& problem) {
    const std::int64_t steps = problem.which()["steps"];
    // Up to 1024 additions, each off by half a unit of a sum that grows to `steps`.
    const auto out = problem.expect("out", {.absolute = 0, .relative = static_cast<double>(steps) * 0x1p-25});
    const auto table = problem.read<float>("table");
    std::vector<double> before(2 * kTable + 1);  // sums of all elements before each, twice around
    for (std::size_t i = 0; i < 2 * kTable; ++i) before[i + 1] = before[i] + table[i % kTable];
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = before[i % kTable + static_cast<std::size_t>(steps)] - before[i % kTable];
  }

  template <class T>
  static void settle_truth(ladder::Problem& problem, double rounding) {
    const int steps = static_cast<int>(problem.which()["steps"]);
    // One rounding a step, of a number that stays below 4, each carried on almost undiminished.
    const auto out = problem.expect("out", {.absolute = 4.0 * (steps + 1) * rounding});
    const auto in = problem.read<T>("in");
    // After s steps: the place where it comes to rest, and what is left of the distance to it.
    using Wide = std::conditional_t<std::is_same_v<T, double>, long double, double>;
    const Wide rest = Wide(kTerm) / (1 - Wide(kFactor)), left = std::pow(Wide(kFactor), steps);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(rest + left * (in[i] - rest));
  }

  static void products_truth(ladder::Problem& problem) {
    const double steps = static_cast<double>(problem.which()["steps"]);
    // All terms are positive. A tensor core cuts off where others round, and may add a product of depth 16 in
    // two halves: two units of the sum each step.
    const auto out = problem.expect("out", {.absolute = 0, .relative = (2 * steps + 16) * 0x1p-23});
    const auto a = problem.read<__half>("a"), b = problem.read<__half>("b");
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kArea = kSide * kSide;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t matrix = i / kArea * kArea, row = i % kArea / kSide, col = i % kSide;
        double sum = 0;
        for (std::int64_t k = 0; k < kSide; ++k)
          sum += static_cast<double>(__half2float(a[matrix + row * kSide + k])) *
                 __half2float(b[matrix + k * kSide + col]);
        out[i] = steps * sum;
      }
    });
  }
};

}  // namespace

LADDER_LESSON(Roofline)
