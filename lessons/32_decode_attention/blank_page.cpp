// Reference, cases and work of the blank page: attention pooling.
#include "blank_page.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/scratch.h"
#include "judge/sequences.h"

namespace {

using ladder::Case;
using Bf16 = __nv_bfloat16;

constexpr std::int64_t kRow = kCols;

Case rows_of(std::int64_t sequences, std::int64_t longest, std::string kind = kMixed,
             Case::Use use = Case::Use::check) {
  return {{{"sequences", sequences}, {"longest", longest}}, std::move(kind), use};
}

std::int64_t splits_of(const Case& which) { return (which["longest"] + kSplit - 1) / kSplit; }

class AttentionPool : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    // Around a warp, a block's turn and a split; more than two splits; one row; nobody.
    std::vector<Case> cases = {rows_of(0, 5),    rows_of(1, 1),   rows_of(5, 3),   rows_of(3, 33),
                               rows_of(5, 130),  rows_of(1, 512), rows_of(2, 513), rows_of(5, 700),
                               rows_of(4, 1030), rows_of(5, 1500)};
    for (const char* kind : {"rising", "falling", "far below 0", "large", "equal"})
      for (const auto& [sequences, longest] : {std::pair{2, 70}, {1, 1200}})
        cases.push_back(rows_of(sequences, longest, kind));
    if (device == ladder::DeviceKind::gpu) {
      cases.push_back(rows_of(1003, 700));
      cases.push_back(rows_of(3, 100'000));
      cases.push_back(rows_of(64, 16'384, "full", Case::Use::time));
    } else {
      cases.push_back(rows_of(2, 4096, "full", Case::Use::time));
    }
    return cases;
  }

  bool valid(const Case& which) const override { return which["longest"] >= 1; }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t sequences = problem.which()["sequences"], longest = problem.which()["longest"];
    const std::string& kind = problem.which().variant;
    std::vector<int> lengths(sequences), start(sequences + 1);
    fill_lengths(lengths, longest, kSplit, random);
    if (kind != kMixed) std::fill(lengths.begin(), lengths.end(), static_cast<int>(longest));
    for (std::int64_t b = 0; b < sequences; ++b) start[b + 1] = start[b] + lengths[b];
    const auto x = problem.input<Bf16>("x", {start[sequences], kRow});
    random.uniform(x, __float2bfloat16(-1.0f), __float2bfloat16(1.0f));
    // Weights of the kinds in which all rows have one direction are near it: a row of a number's factor has
    // it times 16 as its score.
    const bool any = kind == kMixed || kind == "full" || kind == "large";
    const auto w = problem.input<float>("w", {kRow});
    const float most = kind == "large" ? 4 : 0.5f;
    random.uniform(w, any ? -most : 0x1.fp-5f, any ? most : 0x1.1p-4f);
    if (!any)
      for_each(sequences, [&](std::int64_t b) {
        for (std::int64_t at = start[b] * kRow; at < start[b + 1] * kRow; ++at) {
          const double place = static_cast<double>(at / kRow - start[b]) / static_cast<double>(lengths[b]);
          x[at] = __float2bfloat16(key_element(kind, __bfloat162float(x[at]), place));
        }
      });
    const auto stored = problem.input<int>("start", {sequences + 1});
    std::copy(start.begin(), start.end(), stored.begin());
    problem.output<float>("out", {sequences, kRow});
  }

  void reference(ladder::Problem& problem) const override {
    const auto x = problem.read<Bf16>("x");
    const auto w = problem.read<float>("w");
    const auto start = problem.read<int>("start");
    // Scores of hundreds are off by 2^-16 in single precision, and weights by as much; a thousand of them
    // that one thread adds up, by 2^-14 at most.
    const auto out = problem.expect("out", {.absolute = 0x1p-13, .relative = 0x1p-12});
    for_each(problem.which()["sequences"], [&](std::int64_t b) {
      const auto row = [&](std::int64_t key, std::int64_t i) {
        return double{__bfloat162float(x[(start[b] + key) * kRow + i])};
      };
      // attend() divides scores by the root of the number of elements, which pooling does not.
      const double root = std::sqrt(static_cast<double>(kRow));
      attend(
          out.subspan(b * kRow, kRow), start[b + 1] - start[b], [&](std::int64_t i) { return w[i] * root; },
          row, row);
    });
  }

  ladder::Work work(const Case& which) const override {
    const auto sequences = static_cast<double>(which["sequences"]);
    const double rows = sequences * static_cast<double>(which["longest"]);
    return {.bytes_read = rows * kCols * sizeof(Bf16) + kCols * sizeof(float),
            .bytes_written = sequences * kCols * sizeof(float),
            .flops = 4 * rows * kCols};
  }

  cudaError_t prepare(const Case& which, const ladder::Arguments&) override {
    scratch_ = {};
    const std::int64_t sequences = which["sequences"];
    const std::int64_t splits = splits_of(which);
    if (sequences == 0) return cudaSuccess;
    cudaError_t error = ladder::allocate_scratch(&scratch_.sums, "scratch.sums", sequences * splits * kCols);
    if (error == cudaSuccess)
      error = ladder::allocate_scratch(&scratch_.softmax, "scratch.softmax", sequences * splits);
    if (error == cudaSuccess)
      error = ladder::allocate_scratch(&scratch_.arrived, "scratch.arrived", sequences);
    if (error == cudaSuccess) error = cudaMemset(scratch_.arrived, 0, sequences * sizeof(unsigned));
    return error;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    // Where nothing is timed, the function is called twice: the second call finds the counters as the first
    // one left them, and none of its results.
    const auto call = [&] {
      return attention_pool(arguments.get<float>("out"), scratch_, arguments.get<Bf16>("x"),
                            arguments.get<float>("w"), arguments.get<int>("start"),
                            static_cast<int>(which["sequences"]), static_cast<int>(which["longest"]));
    };
    cudaError_t error = call();
    if (error != cudaSuccess || which.use == Case::Use::time) return error;
    const std::int64_t elements = which["sequences"] * kRow;
    const std::int64_t parts = which["sequences"] * splits_of(which);
    error = ladder::forget(arguments.get<float>("out"), elements);
    if (error == cudaSuccess) error = ladder::forget(scratch_.sums, parts * kCols);
    if (error == cudaSuccess) error = ladder::forget(scratch_.softmax, parts);
    return error == cudaSuccess ? call() : error;
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    cudaError_t error = cudaFree(scratch_.sums);
    if (error == cudaSuccess) error = cudaFree(scratch_.softmax);
    if (error == cudaSuccess) error = cudaFree(scratch_.arrived);
    return error;
  }

 private:
  Scratch scratch_ = {};
};

}  // namespace

LADDER_LESSON(AttentionPool)
