// Reference, cases and work of the lesson's blank page.
#include "blank_page.h"

#include <limits>

#include "grader/lesson/lesson.h"
#include "grader/lesson/offset.h"
#include "grader/lesson/scratch.h"

namespace {

using ladder::Case;

class Minimum : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const char* variant : {"above 0", "with ties"})
      for (const std::int64_t n : {0, 1, 2, 31, 32, 33, 127, 513, 1023, 1024, 1025, 20'011, 300'007})
        cases.push_back({{{"n", n}}, variant, Case::Use::check});
    for (const std::int64_t n : {1, 33, 20'011}) cases.push_back({{{"n", n}}, "all equal", Case::Use::check});
    for (const char* array : {"in", "value", "place"})
      cases.push_back(ladder::offset_by({{{"n", 4099}}, "with ties", Case::Use::check}, array, 1));
    if (device == ladder::DeviceKind::gpu)
      cases.push_back({{{"n", 3'999'971}}, "with ties", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 268'435'456 : 4'194'304;
    cases.push_back({{{"n", large}}, "with ties", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    const std::string& variant = problem.which().variant;
    const auto in = problem.input<float>("in", {n});
    // Above 0, so that a start value of 0 shows; or of either sign, the smallest twice and more, so that it
    // shows which of them is taken.
    random.uniform(in, variant == "above 0" ? 1.0f : -1000.0f, 1000.0f);
    if (variant == "all equal")
      for (float& value : in) value = 3.5f;
    if (variant == "with ties" && n > 0)
      for (int k = 0; k < 4; ++k) in[random.next() % static_cast<std::uint64_t>(n)] = -1001.0f;
    problem.output<float>("value", {1});
    problem.output<int>("place", {1});
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in");
    float least = std::numeric_limits<float>::infinity();
    std::int64_t place = -1;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i] < least) least = in[i], place = static_cast<std::int64_t>(i);
    problem.expect("value", {})[0] = least;
    problem.expect("place", {})[0] = static_cast<double>(place);
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = sizeof(float) + sizeof(int), .flops = n};
  }

  cudaError_t prepare(const Case&, const ladder::Arguments&) override {
    const cudaError_t error = ladder::allocate_scratch(&values_, "values", kScratch);
    return error != cudaSuccess ? error : ladder::allocate_scratch(&places_, "places", kScratch);
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    return minimum(arguments.get<float>("value"), arguments.get<int>("place"), arguments.get<float>("in"),
                   which["n"], values_, places_);
  }

  cudaError_t finish(const Case&, const ladder::Arguments&) override {
    const cudaError_t error = cudaFree(values_);
    return error != cudaSuccess ? error : cudaFree(places_);
  }

 private:
  float* values_ = nullptr;
  int* places_ = nullptr;
};

}  // namespace

LADDER_LESSON(Minimum)
