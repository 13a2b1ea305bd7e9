// Reference, cases and work of the lesson; the rungs are the .cu files beside this one.
#include "copy_if.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "grader/lesson/giant.h"
#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

/// A variant for the rungs that keep the order, graded so whatever output_order() says.
constexpr const char* kInOrder = "50 %, in order";
constexpr const char* kLast = "the last only";
constexpr const char* kExtremes = "smallest and largest";
/// Nearly as many elements as an int can count. Only for rungs whose blocks draw their places: those that
/// keep the order find them by what other blocks have counted, which a sample of the blocks leaves undefined.
constexpr const char* kNearly = "nearly 2^31";

/// Of how many elements in a hundred the case keeps about.
int percent_of(const Case& which) {
  if (which.variant == kInOrder) return 50;
  if (which.variant == "none") return 0;
  if (which.variant == "1 %") return 1;
  if (which.variant == "50 %") return 50;
  if (which.variant == "99 %") return 99;
  return 100;
}

class CopyIf : public ladder::Lesson, public ladder::Giant {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the edges of a warp, of blocks of 512 and of a tile of 8192. Of 100,003 elements, scratch holds
    // no word for each warp; the last are more than any GPU has threads at a time.
    for (const std::int64_t n :
         {0, 1, 2, 3, 4, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 8193, 70'001, 100'003, 400'009})
      cases.push_back(of_size(n, "50 %"));
    for (const char* variant : {"none", "1 %", "99 %", "all"})
      for (const std::int64_t n : {33, 1025, 20'011}) cases.push_back(of_size(n, variant));
    for (const char* variant : {kInOrder, kLast, kExtremes})
      for (const std::int64_t n : {33, 1025, 20'011}) cases.push_back(of_size(n, variant));
    // Arrays that start 4, 8 or 12 bytes behind a multiple of 16, some of them ending before the next one.
    for (const auto& [n, elements] : {std::pair{1, 3}, {2, 1}, {1025, 2}, {20'011, 1}, {70'001, 3}})
      cases.push_back(ladder::offset_by(of_size(n, "50 %"), "in", elements));
    ladder::add_with_offsets(cases, of_size(4096, "50 %"), {"out", "kept", "scratch"});
    if (device == ladder::DeviceKind::gpu)
      for (const char* variant : {"1 %", "50 %", "99 %"}) cases.push_back(of_size(4'194'319, variant));
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 268'435'456 : 1'048'576;
    for (const char* variant : {"50 %", "1 %", "99 %"})
      cases.push_back(of_size(large, variant, Case::Use::time));
    return cases;
  }

  bool applies(const Case& which, std::string_view rung) const override {
    const bool any_order = rung.starts_with("1_") || rung.starts_with("2_") || rung.starts_with("3_");
    if (which.variant == kNearly) return any_order;
    return which.variant != kInOrder || !any_order;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::int64_t n = which["n"];
    const auto in = problem.input<int>("in", {n});
    const int percent = percent_of(which);
    random.uniform(in, 0, 99);
    for (std::int64_t i = 0; i < n; ++i) {
      const bool wanted = in[i] < percent;
      // Wanted values grow along the array, so that an output of any order can be sorted before it is
      // compared. Only the timed case is too large for that: there all wanted values are the same.
      const int value = which.use == Case::Use::time ? 7 : static_cast<int>(100 * i) + in[i] + 1;
      in[i] = wanted ? value : -in[i];  // of those not wanted some are 0, the border
    }
    if (which.variant == kLast) {
      std::fill(in.begin(), in.end(), 0);
      if (n > 0) in.back() = 1;
    } else if (which.variant == kExtremes) {
      constexpr int kUnwanted[] = {std::numeric_limits<int>::min(), -1, 0};
      for (std::int64_t i = 0; i < n; ++i)
        if (const auto drawn = random.next(); drawn % 2 == 0)
          in[i] = i < n / 2 ? 1 : std::numeric_limits<int>::max();
        else
          in[i] = kUnwanted[drawn / 2 % 3];
    }
    const auto kept = static_cast<std::int64_t>(std::count_if(in.begin(), in.end(), keep));
    problem.output<int>("out", {kept});
    problem.output<int>("kept", {1});
  }

  void reference(ladder::Problem& problem) const override {
    const auto out = problem.expect("out", {});  // copies: nothing may differ
    std::size_t kept = 0;
    for (const int value : problem.read<int>("in"))
      if (keep(value)) out[kept++] = value;
    problem.expect("kept", {})[0] = static_cast<double>(kept);
  }

  std::vector<Case> giant_cases() const override { return {of_size(2'147'483'003, kNearly)}; }

  void outline(ladder::Problem& problem) const override {
    const std::int64_t n = problem.which()["n"];
    problem.input<int>("in", {n});
    problem.output<int>("out", {n});
    problem.output<int>("kept", {1});
  }

  /// What is kept lands wherever the blocks of the sample come to draw.
  bool compares() const override { return false; }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]), kept = n * percent_of(which) / 100;
    return {.bytes_read = n * sizeof(int), .bytes_written = kept * sizeof(int), .flops = 0};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    before_scratch_ = ladder::offset_of(which, "scratch");
    return ladder::allocate_scratch(&scratch_, "scratch", scratch_words(which["n"]), before_scratch_);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return copy_if(arguments.get<int>("out"), arguments.get<int>("kept"), arguments.get<int>("in"),
                   which["n"], scratch_ + before_scratch_);
  }

  cudaError_t arrange(const Case& which, const ladder::Arguments& arguments) override {
    const bool any =
        output_order() == Order::any && which.use == Case::Use::check && which.variant != kInOrder;
    return any ? sort_output(which, arguments) : cudaSuccess;
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override { return cudaFree(scratch_); }

 private:
  static Case of_size(std::int64_t n, const char* variant, Case::Use use = Case::Use::check) {
    return {{{"n", n}}, variant, use};
  }

  /// Brings an output that may have any order into that of the input.
  static cudaError_t sort_output(const Case& which, const ladder::Arguments& arguments) {
    if (which["n"] == 0) return cudaSuccess;
    std::vector<int> values(static_cast<std::size_t>(which["n"]));
    cudaError_t error = cudaMemcpy(values.data(), arguments.get<int>("in"), values.size() * sizeof(int),
                                   cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
    values.resize(static_cast<std::size_t>(std::count_if(values.begin(), values.end(), keep)));
    const std::size_t bytes = values.size() * sizeof(int);
    error = cudaMemcpy(values.data(), arguments.get<int>("out"), bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return error;
    std::sort(values.begin(), values.end());
    return cudaMemcpy(arguments.get<int>("out"), values.data(), bytes, cudaMemcpyHostToDevice);
  }

  unsigned long long* scratch_ = nullptr;
  std::int64_t before_scratch_ = 0;  ///< words that are not the rung's
};

}  // namespace

LADDER_LESSON(CopyIf)
