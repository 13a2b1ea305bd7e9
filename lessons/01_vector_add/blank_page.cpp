// Reference, cases and timing of the blank page.
#include "blank_page.h"

#include <algorithm>

#include "grader/lesson/lesson.h"

namespace {

using ladder::Buffer;
using ladder::Case;

constexpr float kGain = 1.75f;  // what is louder than 1 / kGain is clipped

class Amplify : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 31, 33, 1023, 1025, 99'991, 3'500'003})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 67'108'864 : 4'194'304;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("in", {n}, Buffer::Location::host), -1.0f, 1.0f);
    problem.output<float>("out", {n}, Buffer::Location::host);
    problem.scalar("gain", kGain);
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in");
    // One multiplication is off by half a unit in the last place, 2^-24; allow for twice that.
    const auto out = problem.expect("out", {.absolute = 0, .relative = 0x1p-23});
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = std::clamp(static_cast<double>(kGain) * in[i], -1.0, 1.0);
  }

  ladder::Work work(const Case& which) const override {
    const double bytes = static_cast<double>(which["n"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = static_cast<double>(which["n"])};
  }

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  /// The caller's memory is pinned; the harness's is not.
  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    if (n == 0) return cudaSuccess;
    for (float** pointer : {&in_, &out_}) {
      void* pinned = nullptr;
      if (const cudaError_t error = cudaMallocHost(&pinned, n * sizeof(float)); error != cudaSuccess)
        return error;
      *pointer = static_cast<float*>(pinned);
    }
    std::copy_n(arguments.get<float>("in"), n, in_);
    std::copy_n(arguments.get<float>("out"), n, out_);  // the harness's poison
    return cudaSuccess;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments&) override {
    return amplify(out_, in_, which["n"], kGain);
  }

  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    if (n == 0) return cudaSuccess;
    std::copy_n(out_, n, arguments.get<float>("out"));
    std::copy_n(in_, n, arguments.get<float>("in"));  // so that the harness sees a changed input
    for (float** pointer : {&in_, &out_}) {
      if (const cudaError_t error = cudaFreeHost(*pointer); error != cudaSuccess) return error;
      *pointer = nullptr;
    }
    return cudaSuccess;
  }

 private:
  float *in_ = nullptr, *out_ = nullptr;
};

}  // namespace

LADDER_LESSON(Amplify)
